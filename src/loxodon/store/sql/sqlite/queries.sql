-- Every fixed statement of the SQLite store, by name. Those with filters or lists of rows are put
-- together in sqlite.py and search.py.

-- Numbers given out once -------------------------------------------------------------------------

-- name: take_numbers
-- The last of :count numbers taken from a counter that starts at 1.
INSERT INTO counters (name, last) VALUES (?1, ?2)
ON CONFLICT (name) DO UPDATE SET last = last + ?2
RETURNING last

-- name: counter
SELECT last FROM counters WHERE name = ?

-- name: get_meta
SELECT value FROM meta WHERE name = ?

-- name: set_meta
INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2

-- The journal -------------------------------------------------------------------------------------

-- name: session
SELECT no, turns, first_at, last_at FROM sessions WHERE id = ?

-- name: put_session
INSERT INTO sessions (no, id, turns, first_at, last_at) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (no) DO UPDATE SET turns = ?3, first_at = ?4, last_at = ?5

-- name: put_turn
INSERT INTO turns (seq, session, id, key, role, speaker, channel, chat, origin, at, utc_offset, content)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: turn_row
-- The row of a turn by the names that people know it by; the newest, should two share them.
SELECT t.seq FROM sessions s JOIN turns t ON t.session = s.no WHERE s.id = ? AND t.id = ?
ORDER BY t.seq DESC LIMIT 1

-- Memories ----------------------------------------------------------------------------------------

-- name: memory_row
SELECT row FROM memories WHERE id = ?

-- name: put_label
INSERT OR IGNORE INTO memory_labels (label, name, memory) VALUES (?, ?, ?)

-- name: drop_labels
DELETE FROM memory_labels WHERE memory = ? AND label <> 'keyword'

-- name: put_source
INSERT INTO memory_sources (memory, n, session, turn, seq, file, line) VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: drop_sources
DELETE FROM memory_sources WHERE memory = ?

-- name: put_change
INSERT INTO memory_changes (memory, version, at, change, before) VALUES (?, ?, ?, ?, ?)

-- name: changes
SELECT version, at, change, before FROM memory_changes WHERE memory = ? ORDER BY version

-- How much there is -------------------------------------------------------------------------------

-- name: count_journal
SELECT (SELECT count(*) FROM turns), (SELECT count(*) FROM sessions)

-- name: count_memories
SELECT kind, state,
       CASE WHEN importance >= 0.9 THEN 'critical' WHEN importance >= 0.7 THEN 'high'
            WHEN importance >= 0.4 THEN 'medium' ELSE 'low' END AS band,
       count(*)
FROM memories GROUP BY kind, state, band

-- Common words ------------------------------------------------------------------------------------

-- name: common_words
SELECT name, word, share FROM common_words

-- name: drop_common_words
DELETE FROM common_words WHERE name = ?

-- name: put_common_word
INSERT INTO common_words (name, word, share) VALUES (?, ?, ?)


-- Consolidation: the desk -------------------------------------------------------------------------

-- name: counters
SELECT name, last FROM counters WHERE name LIKE 'rows\_%' ESCAPE '\'

-- name: count_topics
-- Stepping from one topic to the next, so that the cost is that of the topics, not the memories.
WITH RECURSIVE topics (name) AS (
  SELECT min(name) FROM memory_labels WHERE label = 'topic'
  UNION ALL
  SELECT (SELECT min(name) FROM memory_labels WHERE label = 'topic' AND name > topics.name)
  FROM topics WHERE topics.name IS NOT NULL
)
SELECT count(name) FROM topics

-- name: count_pending
SELECT count(*) FROM turns WHERE seq > ? AND channel <> ?

-- name: put_segment
INSERT INTO segments (no, session, first_turn, last_turn, started_at, ended_at, utc_offset, topic, tags, text)
VALUES (?, (SELECT no FROM sessions WHERE id = ?), ?, ?, ?, ?, ?, ?, ?, ?)

-- name: put_fragment
INSERT OR REPLACE INTO fragments (turn, n, text, type, stage, keep, about, bonus, reason)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: put_verdict
UPDATE fragments SET stage = 'judged', keep = ?, about = ?, bonus = ?, reason = ?
WHERE turn = ? AND n = ?

-- name: wait
UPDATE fragments SET stage = 'waiting' WHERE turn = ? AND n = ?

-- name: drop_waiting
DELETE FROM fragments WHERE turn = ? AND n = ? AND stage = 'waiting'

-- name: put_event
INSERT INTO events (date, at, session, channel, sender, summary, tokens, trust, compressed)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: put_entity
INSERT INTO entities (no, name, type, aliases, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT (no) DO UPDATE SET name = ?2, type = ?3, aliases = ?4, updated_at = ?6

-- name: put_entity_name
-- A name that leads to someone else already stays with them.
INSERT OR IGNORE INTO entity_names (name, entity) VALUES (?, ?)

-- name: put_review
INSERT OR IGNORE INTO reviews (belief, against, asked_at, answer)
SELECT b.row, a.row, ?3, '' FROM memories b, memories a WHERE b.id = ?1 AND a.id = ?2

-- name: open_reviews
SELECT r.belief, r.against, r.asked_at
FROM reviews r JOIN memories b ON b.row = r.belief JOIN memories a ON a.row = r.against
WHERE r.answer = '' AND b.state = 'active' AND a.state = 'active' ORDER BY r.asked_at, r.belief

-- name: answer_review
UPDATE reviews SET answer = ?, answered_at = ?
WHERE answer = '' AND belief = (SELECT row FROM memories WHERE id = ?)

-- name: ended
SELECT id FROM memories WHERE state = 'active' AND ends_at <= ? ORDER BY ends_at LIMIT ?

-- name: put_use
INSERT INTO memory_uses (memory, day, times, last_at) VALUES (?1, ?2, 1, ?3)
ON CONFLICT (memory, day) DO UPDATE SET times = times + 1, last_at = max(last_at, ?3)

-- name: used
SELECT m.id, count(*), sum(u.times), max(u.last_at) FROM memory_uses u JOIN memories m ON m.row = u.memory
GROUP BY u.memory ORDER BY u.memory

-- name: unindexed
SELECT memory FROM unindexed ORDER BY memory LIMIT ?

-- name: last_changed
SELECT memory FROM unindexed ORDER BY memory DESC LIMIT ?

-- name: put_unindexed
INSERT OR IGNORE INTO unindexed (memory) VALUES (?)

-- name: drop_keywords
DELETE FROM memory_labels WHERE memory = ? AND label = 'keyword'

-- name: changes_since
SELECT m.id, c.change, c.at FROM memory_changes c JOIN memories m ON m.row = c.memory
WHERE c.at >= ? ORDER BY c.at DESC, c.memory DESC, c.version DESC LIMIT ?

-- name: partitions
SELECT project, topic, count(*) FROM memories WHERE state = 'active' AND kind = 'fact'
GROUP BY project, topic HAVING count(*) >= ? ORDER BY project, topic

-- name: of_category
SELECT row FROM memories WHERE state = 'active' AND category = ? ORDER BY row

-- name: page
SELECT text, basis, made_at FROM pages WHERE name = ? AND language = ?

-- name: put_page
INSERT INTO pages (name, language, made_at, text, basis) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (name, language) DO UPDATE SET made_at = ?3, text = ?4, basis = ?5

-- name: spend
INSERT INTO model_use (day, phase, calls, tokens_in, tokens_out) VALUES (?1, ?2, 1, ?3, ?4)
ON CONFLICT (day, phase) DO UPDATE
SET calls = calls + 1, tokens_in = tokens_in + ?3, tokens_out = tokens_out + ?4

-- name: spent
SELECT coalesce(sum(tokens_in + tokens_out), 0) FROM model_use WHERE day = ?

-- name: ledger
SELECT day, phase, calls, tokens_in, tokens_out FROM model_use
WHERE day IN (SELECT DISTINCT day FROM model_use ORDER BY day DESC LIMIT ?)
ORDER BY day DESC, phase
