-- The workspace: files that a user or an agent wrote, as chunks that can be found; how far followed
-- transcripts were read; what was imported. And segments can be found by their words.

CREATE VIRTUAL TABLE segment_index USING fts5(
  words, content='', contentless_delete=1, tokenize='ascii');
INSERT INTO segment_index (segment_index, rank) VALUES ('automerge', 16), ('secure-delete', 1);

-- Files that are read where they lie and never written to. All of these tables but `followed` and
-- `imports` are derived: without them the files are read again.
CREATE TABLE source_files (
  no      INTEGER PRIMARY KEY,
  root    TEXT NOT NULL,       -- the folder it was found under, as a full path
  path    TEXT NOT NULL,       -- within that folder, with slashes
  role    TEXT NOT NULL,       -- 'memory', 'user', 'soul', 'agents', 'daily' or 'note'
  size    INTEGER NOT NULL,
  mtime   INTEGER NOT NULL,    -- nanoseconds, as the file system has it
  hash    BLOB NOT NULL,       -- SHA-256 of the file, and by which rules it was cut
  read_at INTEGER NOT NULL,
  problem TEXT NOT NULL,       -- why it could not be read, or what of it was left out
  UNIQUE (root, path)
) STRICT;

-- A text that stands in one file or several.
CREATE TABLE chunks (
  no   INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,   -- SHA-256 of the text
  text TEXT NOT NULL
) STRICT;

-- Where it stands, and what is written there about it.
CREATE TABLE chunk_places (
  file       INTEGER NOT NULL REFERENCES source_files (no),
  n          INTEGER NOT NULL, -- its place among the chunks of the file
  chunk      INTEGER NOT NULL REFERENCES chunks (no),
  first_line INTEGER NOT NULL,
  last_line  INTEGER NOT NULL,
  heading    TEXT NOT NULL,    -- the headings above it, outermost first, with ' > ' between
  at         INTEGER,          -- the day it is of, where the file or the line says one
  type       TEXT NOT NULL,    -- 'world', 'experience', 'opinion' or nothing
  importance REAL,
  project    TEXT NOT NULL,
  triggers   TEXT NOT NULL,    -- JSON: words that it should come up for
  PRIMARY KEY (file, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX chunk_places_by_chunk ON chunk_places (chunk);
CREATE INDEX chunk_places_by_day ON chunk_places (at) WHERE at IS NOT NULL;

CREATE VIRTUAL TABLE chunk_index USING fts5(
  words, content='', contentless_delete=1, tokenize='ascii');
INSERT INTO chunk_index (chunk_index, rank) VALUES ('automerge', 16), ('secure-delete', 1);

-- How far a model has come with the chunks.
ALTER TABLE vector_models ADD COLUMN chunks_to INTEGER NOT NULL DEFAULT 0;

-- Transcripts of an agent that are read again and again as they grow.
CREATE TABLE followed (
  path    TEXT NOT NULL,       -- the file, as a full path
  session TEXT NOT NULL,       -- a session in it, where one file has many
  mark    TEXT NOT NULL,       -- how far it was read; JSON that its reader understands
  read_at INTEGER NOT NULL,
  PRIMARY KEY (path, session)
) STRICT, WITHOUT ROWID;

-- What was imported, so that the same again adds nothing. The memory may have changed since.
CREATE TABLE imports (
  key    BLOB PRIMARY KEY,     -- of what was read, whatever has become of it
  memory INTEGER NOT NULL REFERENCES memories (row),
  at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What is derived has to be made anew for the index of segments.
UPDATE meta SET value = 'older' WHERE name = 'words';
