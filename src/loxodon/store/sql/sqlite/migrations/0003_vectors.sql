-- Vectors of what was said and of what is known, where an embedder is set. All of it is derived:
-- without it the same texts are embedded again. Pools are those of the full-text indexes: turns,
-- memories, archive.

-- A model that texts were embedded with, and how far it has come.
CREATE TABLE vector_models (
  no          INTEGER PRIMARY KEY,
  name        TEXT NOT NULL UNIQUE,
  size        INTEGER NOT NULL,    -- numbers in a vector; 0 until there is one
  turns_to    INTEGER NOT NULL,    -- every turn up to here was taken up
  memories_to INTEGER NOT NULL,
  sampled     INTEGER NOT NULL,    -- how many vectors there were when the next two were found
  frame       BLOB NOT NULL,       -- what vectors are seen against (store/nearest.py): float32
  spread      REAL NOT NULL,       -- how far from the usual the cosine of two texts is
  error       TEXT NOT NULL        -- why the last run could not go on; empty where it could
) STRICT;

-- Places for the vectors of a pool, 1,024 to a block. The slot of a vector is the number of its
-- block times 1,024, plus its place in it.
CREATE TABLE vector_blocks (
  no      INTEGER PRIMARY KEY,
  model   INTEGER NOT NULL REFERENCES vector_models (no),
  pool    TEXT NOT NULL,
  used    INTEGER NOT NULL,        -- places that were ever given out
  changed INTEGER NOT NULL         -- a number that grows with every change of any block
) STRICT;
CREATE INDEX vector_blocks_by_change ON vector_blocks (model, pool, changed);

-- What a search reads all of. Apart from the above, and of a fixed size, so that one vector can be
-- written without writing its block anew.
CREATE TABLE vector_bits (
  block INTEGER PRIMARY KEY REFERENCES vector_blocks (no),
  rows  BLOB NOT NULL,             -- int64: the turn or memory in each place, 0 for none
  bits  BLOB NOT NULL              -- uint64: the first 64 signs of every vector, then the next, …
) STRICT;

-- The vectors themselves, of length 1: what the best of a search are compared by.
CREATE TABLE vectors (
  slot  INTEGER PRIMARY KEY,
  model INTEGER NOT NULL REFERENCES vector_models (no),
  pool  TEXT NOT NULL,
  row   INTEGER NOT NULL,
  hash  BLOB NOT NULL,             -- SHA-256 of the text
  half  BLOB NOT NULL              -- float16
) STRICT;
CREATE UNIQUE INDEX vectors_by_row ON vectors (row, pool, model);
CREATE INDEX vectors_by_text ON vectors (model, hash);

-- What is to be embedded (again) though the model has come past it: changed, or failed.
CREATE TABLE vector_todo (
  model INTEGER NOT NULL REFERENCES vector_models (no),
  kind  TEXT NOT NULL,             -- 'turns' or 'memories'
  row   INTEGER NOT NULL,
  tries INTEGER NOT NULL,          -- how often it failed
  error TEXT NOT NULL,
  PRIMARY KEY (model, kind, row)
) STRICT, WITHOUT ROWID;
