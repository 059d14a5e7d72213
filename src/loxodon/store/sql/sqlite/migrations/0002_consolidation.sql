-- Consolidation: what it has in hand, what it makes besides memories, and what it must not forget
-- when it is killed. Tables of work in hand (fragments, candidates) are emptied as work is done.

-- The memory that a memory took the place of, by id; empty for most.
ALTER TABLE memories ADD COLUMN replaces TEXT NOT NULL DEFAULT '';
-- 0 for what is said not to be so.
ALTER TABLE memories ADD COLUMN positive INTEGER NOT NULL DEFAULT 1;
-- When an active memory leaves by itself: it has faded, or it expires. Derived.
ALTER TABLE memories ADD COLUMN ends_at INTEGER;
CREATE INDEX memories_by_end ON memories (state, ends_at);
-- When a memory holds from, or was made: what is meant by its time everywhere.
CREATE INDEX memories_by_day ON memories (coalesce(valid_from, created_at));
CREATE INDEX memories_by_predecessor ON memories (replaces) WHERE replaces <> '';
-- A memory's sources are looked up by name; a session may have very many turns.
CREATE INDEX turns_by_name ON turns (session, id);
-- What is derived has to be made anew for the columns above and for new labels.
UPDATE meta SET value = 'older' WHERE name = 'words';

-- Stretches of one topic, from turn to turn of a session; text is what is left without the noise.
CREATE TABLE segments (
  no         INTEGER PRIMARY KEY,
  session    INTEGER NOT NULL REFERENCES sessions (no),
  first_turn INTEGER NOT NULL REFERENCES turns (seq),
  last_turn  INTEGER NOT NULL REFERENCES turns (seq),
  started_at INTEGER NOT NULL,
  ended_at   INTEGER NOT NULL,
  utc_offset INTEGER NOT NULL,
  topic      TEXT NOT NULL,
  tags       TEXT NOT NULL,      -- JSON
  text       TEXT NOT NULL
) STRICT;
CREATE INDEX segments_by_session ON segments (session, last_turn);

-- Pieces of turns in hand, and those that wait until a model can tell what they say.
CREATE TABLE fragments (
  turn   INTEGER NOT NULL REFERENCES turns (seq),
  n      INTEGER NOT NULL,
  text   TEXT NOT NULL,
  type   TEXT NOT NULL,
  stage  TEXT NOT NULL,          -- 'cut', 'judged', 'waiting' or 'failed'
  keep   INTEGER,                -- NULL: the rules cannot tell
  about  TEXT NOT NULL,
  bonus  REAL NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (turn, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX fragments_by_stage ON fragments (stage, turn, n);

-- What was read, until it has been compared with what is known.
CREATE TABLE candidates (
  no   INTEGER PRIMARY KEY,
  turn INTEGER NOT NULL REFERENCES turns (seq),
  body TEXT NOT NULL             -- JSON
) STRICT;

-- One line for each flush of a session, and what the assistant did.
CREATE TABLE events (
  no         INTEGER PRIMARY KEY,
  date       TEXT NOT NULL,      -- YYYY-MM-DD, where the words were said
  at         INTEGER NOT NULL,
  session    TEXT NOT NULL,
  channel    TEXT NOT NULL,
  sender     TEXT NOT NULL,
  summary    TEXT NOT NULL,
  tokens     INTEGER NOT NULL,
  trust      TEXT NOT NULL,
  compressed INTEGER NOT NULL
) STRICT;
CREATE INDEX events_by_date ON events (date);
CREATE INDEX events_to_compress ON events (date) WHERE compressed = 0;

-- Whom and what the memories are about. What is known of them is in the memories.
CREATE TABLE entities (
  no         INTEGER PRIMARY KEY,
  name       TEXT NOT NULL,
  type       TEXT NOT NULL,
  aliases    TEXT NOT NULL,      -- JSON
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE TABLE entity_names (
  name   TEXT PRIMARY KEY,       -- folded
  entity INTEGER NOT NULL REFERENCES entities (no)
) STRICT, WITHOUT ROWID;
CREATE INDEX entity_names_by_entity ON entity_names (entity);

-- Beliefs that contradict something firm, until a person has decided.
CREATE TABLE reviews (
  belief      INTEGER PRIMARY KEY REFERENCES memories (row),
  against     INTEGER NOT NULL REFERENCES memories (row),
  asked_at    INTEGER NOT NULL,
  answer      TEXT NOT NULL,     -- '', 'confirmed' or 'rejected'
  answered_at INTEGER
) STRICT;
CREATE INDEX reviews_open ON reviews (asked_at) WHERE answer = '';

-- Which memories were used on which day, until the next run lifts them; archived ones come back.
CREATE TABLE memory_uses (
  memory INTEGER NOT NULL REFERENCES memories (row),
  day    TEXT NOT NULL,
  times  INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (memory, day)
) STRICT, WITHOUT ROWID;

-- Memories that changed since the keywords were last indexed.
CREATE TABLE unindexed (
  memory INTEGER PRIMARY KEY REFERENCES memories (row)
) STRICT;

CREATE TABLE model_use (
  day        TEXT NOT NULL,
  phase      TEXT NOT NULL,
  calls      INTEGER NOT NULL,
  tokens_in  INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  PRIMARY KEY (day, phase)
) STRICT, WITHOUT ROWID;

-- What was last made for a person to read: the snapshot and the profile, by language.
CREATE TABLE pages (
  name     TEXT NOT NULL,
  language TEXT NOT NULL,
  made_at  INTEGER NOT NULL,
  text     TEXT NOT NULL,
  basis    TEXT NOT NULL,        -- JSON: what it was made from
  PRIMARY KEY (name, language)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_changes_by_time ON memory_changes (at);
