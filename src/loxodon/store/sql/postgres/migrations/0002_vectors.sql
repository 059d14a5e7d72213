-- Vectors, where an embedder is set. All of it is derived: without it the same texts are embedded
-- again.
CREATE EXTENSION IF NOT EXISTS vector;

CREATE TABLE loxodon.vector_models (
  space_id    bigint NOT NULL DEFAULT loxodon.space(),
  no          bigint NOT NULL DEFAULT loxodon.next_no('loxodon.vector_models'),
  name        text COLLATE "C" NOT NULL,
  size        bigint NOT NULL,
  turns_to    bigint NOT NULL,
  memories_to bigint NOT NULL,
  chunks_to   bigint NOT NULL DEFAULT 0,
  sampled     bigint NOT NULL,
  frame       bytea NOT NULL,
  spread      double precision NOT NULL,
  error       text COLLATE "C" NOT NULL,
  PRIMARY KEY (space_id, no),
  UNIQUE (space_id, name)
);

-- A search of a small pool reads all of it. A large one has an index of its own (`nearest_…`), which
-- knows no other space: store/postgres/vectors.py makes it.
CREATE TABLE loxodon.vectors (
  space_id bigint NOT NULL DEFAULT loxodon.space(),
  model    bigint NOT NULL,
  pool     text COLLATE "C" NOT NULL,
  row      bigint NOT NULL,
  hash     bytea NOT NULL,
  half     halfvec NOT NULL,
  PRIMARY KEY (space_id, model, pool, row),
  FOREIGN KEY (space_id, model) REFERENCES loxodon.vector_models (space_id, no)
);
ALTER TABLE loxodon.vectors ALTER half SET STORAGE PLAIN; -- a search reads it whole
CREATE INDEX vectors_by_row ON loxodon.vectors (space_id, row, pool, model);
CREATE INDEX vectors_by_text ON loxodon.vectors (space_id, model, hash);

CREATE TABLE loxodon.vector_todo (
  space_id bigint NOT NULL DEFAULT loxodon.space(),
  model    bigint NOT NULL,
  kind     text COLLATE "C" NOT NULL,
  row      bigint NOT NULL,
  tries    bigint NOT NULL,
  error    text COLLATE "C" NOT NULL,
  PRIMARY KEY (space_id, model, kind, row),
  FOREIGN KEY (space_id, model) REFERENCES loxodon.vector_models (space_id, no)
);

SELECT loxodon.wall_in(name) FROM unnest(ARRAY['vector_models', 'vectors', 'vector_todo']) name;
