-- The signs of vectors (store/vector_search.py), 1,024 rows to a block, so that a vector has no place of
-- its own to be given out. They are derived: those of a block without any are computed by a search,
-- and stored by the next embedding run.
DROP TABLE vector_bits;
DROP TABLE vector_blocks;
DELETE FROM counters WHERE name IN ('vectors', 'vector_block');
ALTER TABLE vectors RENAME COLUMN slot TO no;
DROP INDEX vectors_by_row;
CREATE UNIQUE INDEX vectors_by_row ON vectors (pool, row, model);

CREATE TABLE vector_signs (
  model   INTEGER NOT NULL REFERENCES vector_models (no),
  pool    TEXT NOT NULL,
  block   INTEGER NOT NULL,            -- the rows from 1,024 times this on
  version INTEGER NOT NULL,            -- a random number, another one after every change
  rows    BLOB NOT NULL DEFAULT x'',   -- int64: those that have a vector, in order; empty if not computed
  bits    BLOB NOT NULL DEFAULT x'',   -- uint64: the first 64 signs of every vector, then the next, …
  PRIMARY KEY (model, pool, block)
) STRICT;
INSERT INTO vector_signs (model, pool, block, version)
SELECT model, pool, row / 1024, random() FROM vectors GROUP BY 1, 2, 3;
