-- The signs of vectors (store/vector_search.py), 1,024 rows to a block, take the place of indexes
-- (HNSW) for each large space, model and pool: a login that owns no table could not make those.
DO $$
DECLARE name text;
BEGIN
  FOR name IN SELECT relname FROM pg_class
    WHERE relnamespace = 'loxodon'::regnamespace AND starts_with(relname, 'nearest_') AND relkind = 'i'
  LOOP
    EXECUTE format('DROP INDEX loxodon.%I', name);
  END LOOP;
END $$;

CREATE TABLE loxodon.vector_signs (
  space_id bigint NOT NULL DEFAULT loxodon.space(),
  model    bigint NOT NULL,
  pool     text COLLATE "C" NOT NULL,
  block    bigint NOT NULL,            -- the rows from 1,024 times this on
  version  bigint NOT NULL,            -- a random number, another one after every change
  rows     bytea NOT NULL DEFAULT '',  -- int64: those that have a vector, in order; empty if not computed
  bits     bytea NOT NULL DEFAULT '',  -- uint64: the first 64 signs of every vector, then the next, …
  PRIMARY KEY (space_id, model, pool, block),
  FOREIGN KEY (space_id, model) REFERENCES loxodon.vector_models (space_id, no)
);
ALTER TABLE loxodon.vector_signs ALTER bits SET STORAGE EXTERNAL; -- they cannot be compressed

ALTER TABLE loxodon.vectors NO FORCE ROW LEVEL SECURITY;
INSERT INTO loxodon.vector_signs (space_id, model, pool, block, version)
SELECT space_id, model, pool, row / 1024, (random() * 1e15)::bigint
FROM loxodon.vectors GROUP BY 1, 2, 3, 4;
ALTER TABLE loxodon.vectors FORCE ROW LEVEL SECURITY;
SELECT loxodon.wall_in('vector_signs');
