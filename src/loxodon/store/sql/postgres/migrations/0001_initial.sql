-- One schema for all spaces. `space_id` leads every primary key, index and foreign key, so that the
-- tables can be partitioned or distributed by it. No query has to name it: a new row gets it from
-- the setting of the transaction (loxodon.space), and row-level security adds it to every query. A
-- transaction without the setting sees nothing.
--
-- The columns are those of the SQLite store (sql/sqlite/migrations), which says what each is for.
-- Text is compared byte by byte, as there. Times are milliseconds since 1970 UTC.

CREATE FUNCTION loxodon.space() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE AS
$$ SELECT nullif(current_setting('loxodon.space', true), '')::bigint $$;

-- Whoever is behind a wall inside the space (store/walls.py): an agent, and whether a group listens.
CREATE FUNCTION loxodon.agent() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS
$$ SELECT coalesce(current_setting('loxodon.agent', true), '') $$;
CREATE FUNCTION loxodon.grouped() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS
$$ SELECT coalesce(current_setting('loxodon.grouped', true), '') = 'on' $$;

-- Bind a table to its space: for its owner too, and whatever the query.
CREATE FUNCTION loxodon.wall_in(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE loxodon.%I ENABLE ROW LEVEL SECURITY', name);
  EXECUTE format('ALTER TABLE loxodon.%I FORCE ROW LEVEL SECURITY', name);
  EXECUTE format('CREATE POLICY own_space ON loxodon.%I USING (space_id = loxodon.space())', name);
END $$;

-- The next number of a table whose rows nobody refers to, within the space.
CREATE FUNCTION loxodon.next_no(of regclass) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE found bigint;
BEGIN
  EXECUTE format('SELECT coalesce(max(no), 0) + 1 FROM %s', of) INTO found;
  RETURN found;
END $$;

-- Functions that SQLite has and PostgreSQL lacks, so that one text of a query serves both.
CREATE FUNCTION loxodon.instr(text, text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT strpos($1, $2) $$;
CREATE FUNCTION loxodon.max(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT greatest($1, $2) $$;
CREATE FUNCTION loxodon.min(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT least($1, $2) $$;
CREATE FUNCTION loxodon.json_valid(text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT $1 IS JSON $$;
-- A NUL in JSON as in other texts (store/postgres/text.py); PostgreSQL has no such character.
CREATE FUNCTION loxodon.json_of(text) RETURNS json LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE WHEN strpos($1, '\u0000') = 0 THEN $1::json
   ELSE regexp_replace($1, '(?<!\\)((?:\\\\)*)\\u0000', U&'\\1\FFFE0', 'g')::json END $$;
CREATE FUNCTION loxodon.json_extract(text, text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT loxodon.json_of($1) ->> substr($2, 3) $$;
CREATE FUNCTION loxodon.json_each(list text, OUT value text) RETURNS SETOF text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT json_array_elements_text(loxodon.json_of($1)) $$;

-- The directory: which spaces there are. It has no wall, and nothing of what they hold.
CREATE TABLE loxodon.spaces (
  id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name    text COLLATE "C" NOT NULL UNIQUE,
  version bigint NOT NULL DEFAULT 0,  -- grows with every write: what was read before is void
  escaped boolean NOT NULL DEFAULT false  -- whether a text of it has a NUL (store/postgres/text.py)
);

CREATE TABLE loxodon.meta (
  space_id bigint NOT NULL DEFAULT loxodon.space(),
  name     text COLLATE "C" NOT NULL,
  value    text COLLATE "C" NOT NULL,
  PRIMARY KEY (space_id, name)
);

CREATE TABLE loxodon.counters (
  space_id bigint NOT NULL DEFAULT loxodon.space(),
  name     text COLLATE "C" NOT NULL,
  last     bigint NOT NULL,
  PRIMARY KEY (space_id, name)
) WITH (fillfactor = 50);

-- The journal ---------------------------------------------------------------------------------------

CREATE TABLE loxodon.sessions (
  space_id bigint NOT NULL DEFAULT loxodon.space(),
  no       bigint NOT NULL,
  id       text COLLATE "C" NOT NULL,
  turns    bigint NOT NULL,
  first_at bigint NOT NULL,
  last_at  bigint NOT NULL,
  PRIMARY KEY (space_id, no),
  UNIQUE (space_id, id)
);

CREATE TABLE loxodon.turns (
  space_id   bigint NOT NULL DEFAULT loxodon.space(),
  seq        bigint NOT NULL,
  session    bigint NOT NULL,
  id         text COLLATE "C" NOT NULL,
  key        bytea NOT NULL,
  role       text COLLATE "C" NOT NULL,
  speaker    text COLLATE "C" NOT NULL,
  channel    text COLLATE "C" NOT NULL,
  chat       text COLLATE "C" NOT NULL,
  origin     text COLLATE "C" NOT NULL,
  at         bigint NOT NULL,
  utc_offset integer NOT NULL,
  content    text COLLATE "C" NOT NULL,
  agent      text COLLATE "C" NOT NULL DEFAULT '',
  PRIMARY KEY (space_id, seq),
  UNIQUE (space_id, key),
  FOREIGN KEY (space_id, session) REFERENCES loxodon.sessions (space_id, no)
);
CREATE INDEX turns_by_session ON loxodon.turns (space_id, session, seq);
CREATE INDEX turns_by_name ON loxodon.turns (space_id, session, id);
CREATE INDEX turns_by_time ON loxodon.turns (space_id, at, seq);
CREATE INDEX turns_by_agent ON loxodon.turns (space_id, agent) WHERE agent <> '';

-- Memories ------------------------------------------------------------------------------------------

CREATE TABLE loxodon.memories (
  space_id     bigint NOT NULL DEFAULT loxodon.space(),
  row          bigint NOT NULL,
  id           text COLLATE "C" NOT NULL,
  kind         text COLLATE "C" NOT NULL,
  state        text COLLATE "C" NOT NULL,
  content      text COLLATE "C" NOT NULL,
  agent        text COLLATE "C" NOT NULL,
  audience     text COLLATE "C" NOT NULL,
  subject      text COLLATE "C" NOT NULL,
  attribute    text COLLATE "C" NOT NULL,
  value        text COLLATE "C" NOT NULL,
  category     text COLLATE "C" NOT NULL,
  project      text COLLATE "C" NOT NULL,
  topic        text COLLATE "C" NOT NULL,
  tags         text COLLATE "C" NOT NULL,
  entities     text COLLATE "C" NOT NULL,
  importance   double precision NOT NULL,
  confidence   double precision NOT NULL,
  strength     double precision NOT NULL,
  strength_at  bigint NOT NULL,
  sensitivity  text COLLATE "C" NOT NULL,
  trust        text COLLATE "C" NOT NULL,
  valid_from   bigint,
  valid_until  bigint,
  expires_at   bigint,
  due_at       bigint,
  done         integer NOT NULL,
  created_at   bigint NOT NULL,
  updated_at   bigint NOT NULL,
  accessed_at  bigint,
  confirmed_at bigint,
  access_count bigint NOT NULL,
  version      bigint NOT NULL,
  basis        text COLLATE "C" NOT NULL,
  derived_from text COLLATE "C" NOT NULL,
  replaces     text COLLATE "C" NOT NULL DEFAULT '',
  positive     integer NOT NULL DEFAULT 1,
  ends_at      bigint,
  PRIMARY KEY (space_id, row),
  UNIQUE (space_id, id)
);
CREATE INDEX memories_by_time ON loxodon.memories (space_id, created_at, row);
CREATE INDEX memories_by_day ON loxodon.memories (space_id, coalesce(valid_from, created_at));
CREATE INDEX memories_by_end ON loxodon.memories (space_id, state, ends_at, row);
CREATE INDEX memories_by_predecessor ON loxodon.memories (space_id, replaces) WHERE replaces <> '';
CREATE INDEX memories_by_agent ON loxodon.memories (space_id, agent) WHERE agent <> '';
CREATE INDEX memories_by_due ON loxodon.memories (space_id, due_at)
  WHERE due_at IS NOT NULL AND done = 0 AND state = 'active';
CREATE INDEX memories_supposed ON loxodon.memories (space_id, category, updated_at)
  WHERE kind = 'belief' AND state = 'active';
CREATE INDEX memories_that_matter ON loxodon.memories (space_id, category)
  WHERE kind = 'fact' AND state = 'active' AND importance >= 0.7;

CREATE TABLE loxodon.memory_labels (
  space_id bigint NOT NULL DEFAULT loxodon.space(),
  label    text COLLATE "C" NOT NULL,
  name     text COLLATE "C" NOT NULL,
  memory   bigint NOT NULL,
  PRIMARY KEY (space_id, label, name, memory),
  FOREIGN KEY (space_id, memory) REFERENCES loxodon.memories (space_id, row)
);
CREATE INDEX memory_labels_by_memory ON loxodon.memory_labels (space_id, memory);

CREATE TABLE loxodon.memory_sources (
  space_id bigint NOT NULL DEFAULT loxodon.space(),
  memory   bigint NOT NULL,
  n        bigint NOT NULL,
  session  text COLLATE "C" NOT NULL,
  turn     text COLLATE "C" NOT NULL,
  seq      bigint,
  file     text COLLATE "C" NOT NULL,
  line     bigint NOT NULL,
  PRIMARY KEY (space_id, memory, n),
  FOREIGN KEY (space_id, memory) REFERENCES loxodon.memories (space_id, row),
  FOREIGN KEY (space_id, seq) REFERENCES loxodon.turns (space_id, seq)
);
CREATE INDEX memory_sources_by_turn ON loxodon.memory_sources (space_id, seq) WHERE seq IS NOT NULL;

CREATE TABLE loxodon.memory_changes (
  space_id bigint NOT NULL DEFAULT loxodon.space(),
  memory   bigint NOT NULL,
  version  bigint NOT NULL,
  at       bigint NOT NULL,
  change   text COLLATE "C" NOT NULL,
  before   text COLLATE "C",
  PRIMARY KEY (space_id, memory, version),
  FOREIGN KEY (space_id, memory) REFERENCES loxodon.memories (space_id, row)
);
CREATE INDEX memory_changes_by_time ON loxodon.memory_changes (space_id, at);

-- Full text over our own words (text/words.py) --------------------------------------------------------

-- Which rows are indexed, and by which words; `pool` is the number of the index (fulltext.py).
CREATE TABLE loxodon.indexed (
  space_id bigint NOT NULL DEFAULT loxodon.space(),
  pool     smallint NOT NULL,
  row      bigint NOT NULL,
  length   integer NOT NULL,       -- words, repetitions included
  words    text[] COLLATE "C" NOT NULL,
  PRIMARY KEY (space_id, pool, row)
);

-- The lists. A b-tree, not GIN: equality of numbers and text is leakproof, so that it is an index
-- condition below row-level security, and a list is found without meeting those of other spaces. The
-- index has all that ranking reads, so the table itself is not touched.
CREATE TABLE loxodon.words (
  space_id bigint NOT NULL DEFAULT loxodon.space(),
  row      bigint NOT NULL,
  times    integer NOT NULL,
  length   integer NOT NULL,       -- of the row
  pool     smallint NOT NULL,
  word     text COLLATE "C" NOT NULL,
  PRIMARY KEY (space_id, pool, word, row) INCLUDE (times, length)
);

CREATE TABLE loxodon.common_words (
  space_id bigint NOT NULL DEFAULT loxodon.space(),
  name     text COLLATE "C" NOT NULL,
  word     text COLLATE "C" NOT NULL,
  share    double precision NOT NULL,
  PRIMARY KEY (space_id, name, word)
);

-- Consolidation -------------------------------------------------------------------------------------

CREATE TABLE loxodon.segments (
  space_id   bigint NOT NULL DEFAULT loxodon.space(),
  no         bigint NOT NULL,
  session    bigint NOT NULL,
  first_turn bigint NOT NULL,
  last_turn  bigint NOT NULL,
  started_at bigint NOT NULL,
  ended_at   bigint NOT NULL,
  utc_offset integer NOT NULL,
  topic      text COLLATE "C" NOT NULL,
  tags       text COLLATE "C" NOT NULL,
  text       text COLLATE "C" NOT NULL,
  PRIMARY KEY (space_id, no),
  FOREIGN KEY (space_id, session) REFERENCES loxodon.sessions (space_id, no),
  FOREIGN KEY (space_id, first_turn) REFERENCES loxodon.turns (space_id, seq),
  FOREIGN KEY (space_id, last_turn) REFERENCES loxodon.turns (space_id, seq)
);
CREATE INDEX segments_by_session ON loxodon.segments (space_id, session, last_turn);
-- For the check of a turn that goes: PostgreSQL makes no index for a reference by itself.
CREATE INDEX segments_by_first_turn ON loxodon.segments (space_id, first_turn);
CREATE INDEX segments_by_last_turn ON loxodon.segments (space_id, last_turn);

CREATE TABLE loxodon.fragments (
  space_id bigint NOT NULL DEFAULT loxodon.space(),
  turn     bigint NOT NULL,
  n        bigint NOT NULL,
  text     text COLLATE "C" NOT NULL,
  type     text COLLATE "C" NOT NULL,
  stage    text COLLATE "C" NOT NULL,
  keep     bigint,
  about    text COLLATE "C" NOT NULL,
  bonus    double precision NOT NULL,
  reason   text COLLATE "C" NOT NULL,
  PRIMARY KEY (space_id, turn, n),
  FOREIGN KEY (space_id, turn) REFERENCES loxodon.turns (space_id, seq)
);
CREATE INDEX fragments_by_stage ON loxodon.fragments (space_id, stage, turn, n);

CREATE TABLE loxodon.candidates (
  space_id bigint NOT NULL DEFAULT loxodon.space(),
  no       bigint NOT NULL DEFAULT loxodon.next_no('loxodon.candidates'),
  turn     bigint NOT NULL,
  body     text COLLATE "C" NOT NULL,
  PRIMARY KEY (space_id, no),
  FOREIGN KEY (space_id, turn) REFERENCES loxodon.turns (space_id, seq)
);
CREATE INDEX candidates_by_turn ON loxodon.candidates (space_id, turn);

CREATE TABLE loxodon.events (
  space_id   bigint NOT NULL DEFAULT loxodon.space(),
  no         bigint NOT NULL DEFAULT loxodon.next_no('loxodon.events'),
  date       text COLLATE "C" NOT NULL,
  at         bigint NOT NULL,
  session    text COLLATE "C" NOT NULL,
  channel    text COLLATE "C" NOT NULL,
  sender     text COLLATE "C" NOT NULL,
  summary    text COLLATE "C" NOT NULL,
  tokens     bigint NOT NULL,
  trust      text COLLATE "C" NOT NULL,
  compressed integer NOT NULL,
  agent      text COLLATE "C" NOT NULL DEFAULT '',
  PRIMARY KEY (space_id, no)
);
CREATE INDEX events_by_date ON loxodon.events (space_id, date);
CREATE INDEX events_to_compress ON loxodon.events (space_id, date) WHERE compressed = 0;

CREATE TABLE loxodon.entities (
  space_id   bigint NOT NULL DEFAULT loxodon.space(),
  no         bigint NOT NULL,
  name       text COLLATE "C" NOT NULL,
  type       text COLLATE "C" NOT NULL,
  aliases    text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  agent      text COLLATE "C" NOT NULL DEFAULT '',
  PRIMARY KEY (space_id, no)
);

CREATE TABLE loxodon.entity_names (
  space_id bigint NOT NULL DEFAULT loxodon.space(),
  agent    text COLLATE "C" NOT NULL,
  name     text COLLATE "C" NOT NULL,
  entity   bigint NOT NULL,
  PRIMARY KEY (space_id, agent, name),
  FOREIGN KEY (space_id, entity) REFERENCES loxodon.entities (space_id, no)
);
CREATE INDEX entity_names_by_entity ON loxodon.entity_names (space_id, entity);

CREATE TABLE loxodon.reviews (
  space_id    bigint NOT NULL DEFAULT loxodon.space(),
  belief      bigint NOT NULL,
  against     bigint NOT NULL,
  asked_at    bigint NOT NULL,
  answer      text COLLATE "C" NOT NULL,
  answered_at bigint,
  PRIMARY KEY (space_id, belief),
  FOREIGN KEY (space_id, belief) REFERENCES loxodon.memories (space_id, row),
  FOREIGN KEY (space_id, against) REFERENCES loxodon.memories (space_id, row)
);
CREATE INDEX reviews_open ON loxodon.reviews (space_id, asked_at) WHERE answer = '';
CREATE INDEX reviews_by_against ON loxodon.reviews (space_id, against);

CREATE TABLE loxodon.memory_uses (
  space_id bigint NOT NULL DEFAULT loxodon.space(),
  memory   bigint NOT NULL,
  day      text COLLATE "C" NOT NULL,
  times    bigint NOT NULL,
  last_at  bigint NOT NULL,
  PRIMARY KEY (space_id, memory, day),
  FOREIGN KEY (space_id, memory) REFERENCES loxodon.memories (space_id, row)
);

CREATE TABLE loxodon.unindexed (
  space_id bigint NOT NULL DEFAULT loxodon.space(),
  memory   bigint NOT NULL,
  PRIMARY KEY (space_id, memory),
  FOREIGN KEY (space_id, memory) REFERENCES loxodon.memories (space_id, row)
);

CREATE TABLE loxodon.model_use (
  space_id   bigint NOT NULL DEFAULT loxodon.space(),
  day        text COLLATE "C" NOT NULL,
  phase      text COLLATE "C" NOT NULL,
  calls      bigint NOT NULL,
  tokens_in  bigint NOT NULL,
  tokens_out bigint NOT NULL,
  PRIMARY KEY (space_id, day, phase)
);

CREATE TABLE loxodon.pages (
  space_id bigint NOT NULL DEFAULT loxodon.space(),
  name     text COLLATE "C" NOT NULL,
  language text COLLATE "C" NOT NULL,
  made_at  bigint NOT NULL,
  text     text COLLATE "C" NOT NULL,
  basis    text COLLATE "C" NOT NULL,
  PRIMARY KEY (space_id, name, language)
);

CREATE TABLE loxodon.jobs (
  space_id     bigint NOT NULL DEFAULT loxodon.space(),
  name         text COLLATE "C" NOT NULL,
  last_at      bigint NOT NULL,
  seconds      double precision NOT NULL,
  counts       text COLLATE "C" NOT NULL,
  succeeded_at bigint,
  failed_at    bigint,
  error        text COLLATE "C" NOT NULL,
  failures     bigint NOT NULL,
  runs         bigint NOT NULL,
  PRIMARY KEY (space_id, name)
);

-- Notes, transcripts, imports, documents --------------------------------------------------------------

CREATE TABLE loxodon.source_files (
  space_id bigint NOT NULL DEFAULT loxodon.space(),
  no       bigint NOT NULL,
  root     text COLLATE "C" NOT NULL,
  path     text COLLATE "C" NOT NULL,
  role     text COLLATE "C" NOT NULL,
  size     bigint NOT NULL,
  mtime    bigint NOT NULL,
  hash     bytea NOT NULL,
  read_at  bigint NOT NULL,
  problem  text COLLATE "C" NOT NULL,
  PRIMARY KEY (space_id, no),
  UNIQUE (space_id, root, path)
);

CREATE TABLE loxodon.chunks (
  space_id bigint NOT NULL DEFAULT loxodon.space(),
  no       bigint NOT NULL,
  hash     bytea NOT NULL,
  text     text COLLATE "C" NOT NULL,
  PRIMARY KEY (space_id, no),
  UNIQUE (space_id, hash)
);

CREATE TABLE loxodon.chunk_places (
  space_id   bigint NOT NULL DEFAULT loxodon.space(),
  file       bigint NOT NULL,
  n          bigint NOT NULL,
  chunk      bigint NOT NULL,
  first_line bigint NOT NULL,
  last_line  bigint NOT NULL,
  heading    text COLLATE "C" NOT NULL,
  at         bigint,
  type       text COLLATE "C" NOT NULL,
  importance double precision,
  project    text COLLATE "C" NOT NULL,
  triggers   text COLLATE "C" NOT NULL,
  PRIMARY KEY (space_id, file, n),
  FOREIGN KEY (space_id, file) REFERENCES loxodon.source_files (space_id, no),
  FOREIGN KEY (space_id, chunk) REFERENCES loxodon.chunks (space_id, no)
);
CREATE INDEX chunk_places_by_chunk ON loxodon.chunk_places (space_id, chunk);
CREATE INDEX chunk_places_by_day ON loxodon.chunk_places (space_id, at) WHERE at IS NOT NULL;

CREATE TABLE loxodon.followed (
  space_id bigint NOT NULL DEFAULT loxodon.space(),
  path     text COLLATE "C" NOT NULL,
  session  text COLLATE "C" NOT NULL,
  mark     text COLLATE "C" NOT NULL,
  read_at  bigint NOT NULL,
  PRIMARY KEY (space_id, path, session)
);

CREATE TABLE loxodon.imports (
  space_id bigint NOT NULL DEFAULT loxodon.space(),
  key      bytea NOT NULL,
  memory   bigint NOT NULL,
  at       bigint NOT NULL,
  PRIMARY KEY (space_id, key),
  FOREIGN KEY (space_id, memory) REFERENCES loxodon.memories (space_id, row)
);
CREATE INDEX imports_by_memory ON loxodon.imports (space_id, memory);

CREATE TABLE loxodon.documents (
  space_id   bigint NOT NULL DEFAULT loxodon.space(),
  no         bigint NOT NULL,
  namespace  text COLLATE "C" NOT NULL,
  key        text COLLATE "C" NOT NULL,
  value      text COLLATE "C" NOT NULL,
  text       text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  minutes    double precision,
  expires_at bigint,
  PRIMARY KEY (space_id, no),
  UNIQUE (space_id, namespace, key)
);
CREATE INDEX documents_by_change ON loxodon.documents (space_id, namespace, no);
CREATE INDEX documents_by_end ON loxodon.documents (space_id, expires_at) WHERE expires_at IS NOT NULL;

-- Trust ---------------------------------------------------------------------------------------------

CREATE TABLE loxodon.quarantine (
  space_id   bigint NOT NULL DEFAULT loxodon.space(),
  no         bigint NOT NULL,
  turn       bigint,
  memory     text COLLATE "C" NOT NULL,
  start      integer NOT NULL,
  stop       integer NOT NULL,
  text       text COLLATE "C" NOT NULL,
  reason     text COLLATE "C" NOT NULL,
  origin     text COLLATE "C" NOT NULL,
  at         bigint NOT NULL,
  state      text COLLATE "C" NOT NULL,
  decided_at bigint,
  PRIMARY KEY (space_id, no),
  FOREIGN KEY (space_id, turn) REFERENCES loxodon.turns (space_id, seq) ON DELETE CASCADE
);
CREATE INDEX quarantine_by_turn ON loxodon.quarantine (space_id, turn);
CREATE INDEX quarantine_by_memory ON loxodon.quarantine (space_id, memory) WHERE memory <> '';
CREATE INDEX quarantine_held ON loxodon.quarantine (space_id, no) WHERE state = 'held';

CREATE TABLE loxodon.tombstones (
  space_id bigint NOT NULL DEFAULT loxodon.space(),
  kind     text COLLATE "C" NOT NULL,
  mark     bytea NOT NULL,
  size     bigint NOT NULL,
  until    bigint NOT NULL,
  PRIMARY KEY (space_id, kind, mark)
);

CREATE TABLE loxodon.receipts (
  space_id bigint NOT NULL DEFAULT loxodon.space(),
  id       text COLLATE "C" NOT NULL,
  at       bigint NOT NULL,
  actor    text COLLATE "C" NOT NULL,
  what     text COLLATE "C" NOT NULL,
  erased   text COLLATE "C" NOT NULL,
  files    text COLLATE "C" NOT NULL,
  PRIMARY KEY (space_id, id)
);

CREATE TABLE loxodon.tokens (
  space_id bigint NOT NULL DEFAULT loxodon.space(),
  token    text COLLATE "C" NOT NULL,
  request  bytea NOT NULL,
  memory   bigint NOT NULL,
  version  bigint NOT NULL,
  at       bigint NOT NULL,
  PRIMARY KEY (space_id, token),
  FOREIGN KEY (space_id, memory) REFERENCES loxodon.memories (space_id, row)
);
CREATE INDEX tokens_by_time ON loxodon.tokens (space_id, at);
CREATE INDEX tokens_by_memory ON loxodon.tokens (space_id, memory);

CREATE TABLE loxodon.signatures (
  space_id bigint NOT NULL DEFAULT loxodon.space(),
  memory   bigint NOT NULL,
  version  bigint NOT NULL,
  mac      bytea NOT NULL,
  PRIMARY KEY (space_id, memory, version),
  FOREIGN KEY (space_id, memory) REFERENCES loxodon.memories (space_id, row) ON DELETE CASCADE
);

CREATE TABLE loxodon.audit_tail (
  space_id bigint NOT NULL DEFAULT loxodon.space(),
  file     bigint NOT NULL,
  at       bigint NOT NULL,
  lines    bytea NOT NULL,
  PRIMARY KEY (space_id, file, at)
);

SELECT loxodon.wall_in(tablename::text) FROM pg_tables
WHERE schemaname = 'loxodon' AND tablename NOT IN ('spaces', 'migrations');
