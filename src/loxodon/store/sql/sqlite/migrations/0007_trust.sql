-- Agents: whose a turn, an event and an entity is; empty for the owner's, which all agents share.
-- Memories have had the column from the start. The walls themselves are in store/walls.py.
ALTER TABLE turns ADD COLUMN agent TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN agent TEXT NOT NULL DEFAULT '';
ALTER TABLE entities ADD COLUMN agent TEXT NOT NULL DEFAULT '';
-- Which agents there are is read off these; where none is named they are empty.
CREATE INDEX turns_by_agent ON turns (agent) WHERE agent <> '';
CREATE INDEX memories_by_agent ON memories (agent) WHERE agent <> '';

-- A name may lead to another entity for each agent.
CREATE TABLE agent_names (
  agent  TEXT NOT NULL,
  name   TEXT NOT NULL,          -- folded
  entity INTEGER NOT NULL REFERENCES entities (no),
  PRIMARY KEY (agent, name)
) STRICT, WITHOUT ROWID;
INSERT INTO agent_names (agent, name, entity) SELECT '', name, entity FROM entity_names;
DROP TABLE entity_names;
ALTER TABLE agent_names RENAME TO entity_names;
CREATE INDEX entity_names_by_entity ON entity_names (entity);

-- Quarantine: instructions found in words that nobody vouches for. The turn stays as it was said;
-- the stretch from start to stop (characters) is told to nobody until the owner releases it.

CREATE TABLE quarantine (
  no         INTEGER PRIMARY KEY,
  turn       INTEGER REFERENCES turns (seq) ON DELETE CASCADE, -- NULL: the words were in no turn
  memory     TEXT NOT NULL,      -- the id of the memory that lacks these words, if any
  start      INTEGER NOT NULL,
  stop       INTEGER NOT NULL,
  text       TEXT NOT NULL,      -- the words, where no turn has them
  reason     TEXT NOT NULL,
  origin     TEXT NOT NULL,
  at         INTEGER NOT NULL,
  state      TEXT NOT NULL,      -- 'held', 'released' or 'dropped'
  decided_at INTEGER
) STRICT;
CREATE INDEX quarantine_by_turn ON quarantine (turn);
CREATE INDEX quarantine_by_memory ON quarantine (memory) WHERE memory <> '';
CREATE INDEX quarantine_held ON quarantine (no) WHERE state = 'held';
-- What was journalled before there was a quarantine is looked through by the next consolidation.
INSERT INTO meta (name, value)
  SELECT 'unscreened', CAST(max(seq) AS TEXT) FROM turns HAVING max(seq) IS NOT NULL;

-- Forgetting: what must not come back, without its words, and what was erased when and by whom.

-- Keyed marks of what was forgotten: of a turn, a session, a sentence, a name, a memory (see
-- trust/tombstones.py). The same rows are in the file SPACE/forgotten, which outlives the database.
CREATE TABLE tombstones (
  kind  TEXT NOT NULL,
  mark  BLOB NOT NULL,         -- of a stretch of time its first moment
  size  INTEGER NOT NULL,      -- of a name how many characters it has, else 0
  until INTEGER NOT NULL,      -- what was said up to this moment stays forgotten
  PRIMARY KEY (kind, mark)
) STRICT, WITHOUT ROWID;

-- One for each time that something was forgotten; none of the words.
CREATE TABLE receipts (
  id     TEXT PRIMARY KEY,
  at     INTEGER NOT NULL,
  actor  TEXT NOT NULL,        -- who did it, such as 'cli' or 'http token:3f2a'
  what   TEXT NOT NULL,        -- what was named: 'ids', 'entity', 'topic', 'session', 'since', 'all'
  erased TEXT NOT NULL,        -- JSON: how many, by place
  files  TEXT NOT NULL         -- JSON: files of the user in which the words still stand, with lines
) STRICT, WITHOUT ROWID;

-- Tokens: a call that is repeated with the same one is done once. The seals themselves are no columns
-- but an index of each table, which store/seals.py makes with the last step of every migration.

CREATE TABLE tokens (
  token   TEXT PRIMARY KEY,    -- as the caller gave it
  request BLOB NOT NULL,       -- digest of what was asked: the same token for something else is refused
  memory  INTEGER NOT NULL REFERENCES memories (row),
  version INTEGER NOT NULL,    -- which version of it the call led to
  at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_by_time ON tokens (at);
CREATE INDEX tokens_by_memory ON tokens (memory);

-- Signatures of sensitive memories: one for each version whose words, or those before it, are
-- sensitive; a keyed hash of the version as it stood (see store/signatures.py).
CREATE TABLE signatures (
  memory  INTEGER NOT NULL REFERENCES memories (row) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  mac     BLOB NOT NULL,
  PRIMARY KEY (memory, version)
) STRICT, WITHOUT ROWID;
