-- The ground: what was said (sessions, turns), what is known (memories and what hangs on them),
-- and the full-text indexes over both. The truth is in the plain tables; everything named
-- *_index, memory_labels and common_words is derived from them and can be rebuilt
-- (loxodon rebuild-index).
-- Times are milliseconds since 1970 UTC.

-- Small single values: the name of the space, when the common words were last sampled, and the
-- version of the words in the indexes.
CREATE TABLE meta (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Numbers that must never be given out twice, not even after what had them is erased.
CREATE TABLE counters (
  name TEXT PRIMARY KEY,
  last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  no       INTEGER PRIMARY KEY,
  id       TEXT NOT NULL UNIQUE,
  turns    INTEGER NOT NULL,   -- how many it ever had: the next unnamed turn is number turns + 1
  first_at INTEGER NOT NULL,
  last_at  INTEGER NOT NULL
) STRICT;

-- The journal: append-only. `key` is what makes two turns the same turn (see write/journal.py).
-- utc_offset is in minutes: "tomorrow" depends on the day it was where the words were said.
CREATE TABLE turns (
  seq        INTEGER PRIMARY KEY,
  session    INTEGER NOT NULL REFERENCES sessions (no),
  id         TEXT NOT NULL,
  key        BLOB NOT NULL UNIQUE,
  role       TEXT NOT NULL,
  speaker    TEXT NOT NULL,
  channel    TEXT NOT NULL,
  chat       TEXT NOT NULL,
  origin     TEXT NOT NULL,
  at         INTEGER NOT NULL,
  utc_offset INTEGER NOT NULL,
  content    TEXT NOT NULL
) STRICT;
CREATE INDEX turns_by_session ON turns (session);
CREATE INDEX turns_by_time ON turns (at);

-- Strength is kept as a base and its moment, and computed when read (see write/decay.py).
-- tags, entities and derived_from are JSON arrays as they were given.
CREATE TABLE memories (
  row          INTEGER PRIMARY KEY,
  id           TEXT NOT NULL UNIQUE,
  kind         TEXT NOT NULL,
  state        TEXT NOT NULL,
  content      TEXT NOT NULL,
  agent        TEXT NOT NULL,
  audience     TEXT NOT NULL,
  subject      TEXT NOT NULL,
  attribute    TEXT NOT NULL,
  value        TEXT NOT NULL,
  category     TEXT NOT NULL,
  project      TEXT NOT NULL,
  topic        TEXT NOT NULL,
  tags         TEXT NOT NULL,
  entities     TEXT NOT NULL,
  importance   REAL NOT NULL,
  confidence   REAL NOT NULL,
  strength     REAL NOT NULL,
  strength_at  INTEGER NOT NULL,
  sensitivity  TEXT NOT NULL,
  trust        TEXT NOT NULL,
  valid_from   INTEGER,
  valid_until  INTEGER,
  expires_at   INTEGER,
  due_at       INTEGER,
  done         INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL,
  accessed_at  INTEGER,
  confirmed_at INTEGER,
  access_count INTEGER NOT NULL,
  version      INTEGER NOT NULL,
  basis        TEXT NOT NULL,
  derived_from TEXT NOT NULL
) STRICT;
CREATE INDEX memories_by_time ON memories (created_at);

-- What memories are filtered by, folded. Derived.
CREATE TABLE memory_labels (
  label  TEXT NOT NULL,        -- 'tag', 'entity', 'project' or 'topic'
  name   TEXT NOT NULL,        -- folded
  memory INTEGER NOT NULL REFERENCES memories (row),
  PRIMARY KEY (label, name, memory)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_labels_by_memory ON memory_labels (memory);

-- Where a memory comes from, in order: a turn of the journal (seq where we have it), or a line of
-- a file.
CREATE TABLE memory_sources (
  memory  INTEGER NOT NULL REFERENCES memories (row),
  n       INTEGER NOT NULL,
  session TEXT NOT NULL,
  turn    TEXT NOT NULL,
  seq     INTEGER REFERENCES turns (seq),
  file    TEXT NOT NULL,
  line    INTEGER NOT NULL,
  PRIMARY KEY (memory, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_sources_by_turn ON memory_sources (seq) WHERE seq IS NOT NULL;

-- Every change of a memory: what was done, and the record as it stood before (NULL for its birth).
CREATE TABLE memory_changes (
  memory  INTEGER NOT NULL REFERENCES memories (row),
  version INTEGER NOT NULL,    -- the version that the change made
  at      INTEGER NOT NULL,
  change  TEXT NOT NULL,
  before  TEXT,                -- JSON
  PRIMARY KEY (memory, version)
) STRICT, WITHOUT ROWID;

-- Full text over our own words (text/words.py), which the ascii tokenizer only has to cut at
-- spaces. Contentless: the text is in the tables above. Anything less than detail=full silently
-- breaks bm25 on a contentless table. Archived memories have an index of their own.
CREATE VIRTUAL TABLE turn_index USING fts5(
  words, content='', contentless_delete=1, tokenize='ascii');
CREATE VIRTUAL TABLE memory_index USING fts5(
  words, content='', contentless_delete=1, tokenize='ascii');
CREATE VIRTUAL TABLE archive_index USING fts5(
  words, content='', contentless_delete=1, tokenize='ascii');
-- Few merges while text streams in, and deleted words really leave the index.
INSERT INTO turn_index (turn_index, rank) VALUES ('automerge', 16), ('secure-delete', 1);
INSERT INTO memory_index (memory_index, rank) VALUES ('automerge', 16), ('secure-delete', 1);
INSERT INTO archive_index (archive_index, rank) VALUES ('automerge', 16), ('secure-delete', 1);

-- Words with long lists, by a sample of each index: a search is not led by them.
CREATE TABLE common_words (
  name  TEXT NOT NULL,         -- the index
  word  TEXT NOT NULL,
  share REAL NOT NULL,
  PRIMARY KEY (name, word)
) STRICT, WITHOUT ROWID;
