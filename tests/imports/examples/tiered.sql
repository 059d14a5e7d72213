CREATE TABLE memories (
  id INTEGER PRIMARY KEY AUTOINCREMENT, tier INTEGER NOT NULL DEFAULT 2,
  project TEXT NOT NULL DEFAULT '_global', topic TEXT NOT NULL DEFAULT '_general',
  category TEXT NOT NULL DEFAULT 'event', content TEXT NOT NULL,
  importance REAL NOT NULL DEFAULT 0.5, source TEXT NOT NULL DEFAULT 'extraction',
  created_at TEXT NOT NULL DEFAULT (datetime('now')),
  updated_at TEXT NOT NULL DEFAULT (datetime('now')),
  last_accessed TEXT NOT NULL DEFAULT (datetime('now')),
  access_count INTEGER NOT NULL DEFAULT 0, is_archived INTEGER NOT NULL DEFAULT 0);
CREATE TABLE daily_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT, event_date TEXT NOT NULL,
  channel TEXT NOT NULL DEFAULT 'unknown', sender_id TEXT NOT NULL DEFAULT '',
  summary TEXT NOT NULL, raw_tokens INTEGER NOT NULL DEFAULT 0,
  is_compressed INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL DEFAULT (datetime('now')));
CREATE TABLE extraction_buffer (
  id INTEGER PRIMARY KEY AUTOINCREMENT, channel TEXT NOT NULL,
  sender_id TEXT NOT NULL DEFAULT '', role TEXT NOT NULL, content TEXT NOT NULL,
  token_count INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL DEFAULT (datetime('now')));
INSERT INTO memories (tier, topic, category, content, importance, created_at, updated_at)
  VALUES (1, '_profile', 'identity', '用户叫杨洋，是全栈工程师', 1.0,
          '2026-01-01 08:00:00', '2026-01-10 08:00:00');
INSERT INTO memories (project, topic, category, content, importance, created_at, last_accessed,
                      access_count, is_archived)
  VALUES ('myclaw', 'deployment', 'decision', 'myclaw is deployed with Docker', 0.8,
          '2026-01-02 00:00:00', '2026-01-20 12:00:00', 4, 1);
INSERT INTO daily_events (event_date, channel, summary, created_at)
  VALUES ('2026-01-03', 'telegram', '讨论了部署方案', '2026-01-03 20:00:00');
INSERT INTO daily_events (event_date, channel, summary, is_compressed, created_at)
  VALUES ('2026-01-02', 'telegram', '我养了一只猫', 1, '2026-01-02 20:00:00');
INSERT INTO extraction_buffer (channel, sender_id, role, content, created_at)
  VALUES ('telegram', 'u1', 'user', '我对花生过敏', '2026-01-04 10:00:00'),
         ('telegram', '', 'assistant', '好的，记住了', '2026-01-04 10:00:05');
