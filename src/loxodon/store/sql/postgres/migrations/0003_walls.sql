-- Walls inside a space (store/walls.py): a view before every table with content in it, in a schema
-- that a transaction behind a wall looks through first. They are those of store/sqlite/views.py, with
-- the agent and the group from the settings of the transaction. Row-level security stands below them.

CREATE SCHEMA loxodon_wall;

CREATE VIEW loxodon_wall.memories WITH (security_barrier, security_invoker) AS
SELECT * FROM loxodon.memories t
WHERE (loxodon.agent() = '' OR t.agent IN ('', loxodon.agent()) OR t.audience = 'all')
  AND (NOT loxodon.grouped() OR t.audience <> 'private');

CREATE VIEW loxodon_wall.memory_labels WITH (security_barrier, security_invoker) AS
SELECT * FROM loxodon.memory_labels t
WHERE EXISTS (SELECT 1 FROM loxodon_wall.memories m WHERE m.row = t.memory);

CREATE VIEW loxodon_wall.turns WITH (security_barrier, security_invoker) AS
SELECT * FROM loxodon.turns t
WHERE (loxodon.agent() = '' OR t.agent IN ('', loxodon.agent()))
  AND (NOT loxodon.grouped() OR t.chat <> 'direct' AND NOT EXISTS (
    SELECT 1 FROM loxodon.memory_sources s JOIN loxodon.memories m ON m.row = s.memory
    WHERE s.seq = t.seq AND m.audience = 'private'));

CREATE VIEW loxodon_wall.memory_changes WITH (security_barrier, security_invoker) AS
SELECT * FROM loxodon.memory_changes t
WHERE EXISTS (SELECT 1 FROM loxodon_wall.memories m WHERE m.row = t.memory);

-- Where a memory comes from is told as far as that may be seen itself.
CREATE VIEW loxodon_wall.memory_sources WITH (security_barrier, security_invoker) AS
SELECT * FROM loxodon.memory_sources t
WHERE EXISTS (SELECT 1 FROM loxodon_wall.memories m WHERE m.row = t.memory)
  AND EXISTS (SELECT 1 FROM loxodon_wall.turns u WHERE u.seq = t.seq);

CREATE VIEW loxodon_wall.tokens WITH (security_barrier, security_invoker) AS
SELECT * FROM loxodon.tokens t
WHERE EXISTS (SELECT 1 FROM loxodon_wall.memories m WHERE m.row = t.memory);

CREATE VIEW loxodon_wall.sessions WITH (security_barrier, security_invoker) AS
SELECT s.space_id, s.no, s.id,
  (SELECT count(*) FROM loxodon_wall.turns u WHERE u.session = s.no) AS turns,
  (SELECT min(u.at) FROM loxodon_wall.turns u WHERE u.session = s.no) AS first_at,
  (SELECT max(u.at) FROM loxodon_wall.turns u WHERE u.session = s.no) AS last_at
FROM loxodon.sessions s
WHERE EXISTS (SELECT 1 FROM loxodon_wall.turns u WHERE u.session = s.no);

-- A stretch of talk is told where all of it may be.
CREATE VIEW loxodon_wall.segments WITH (security_barrier, security_invoker) AS
SELECT * FROM loxodon.segments t
WHERE NOT EXISTS (
  SELECT 1 FROM loxodon.turns u
  WHERE u.session = t.session AND u.seq BETWEEN t.first_turn AND t.last_turn
    AND NOT EXISTS (SELECT 1 FROM loxodon_wall.turns v WHERE v.seq = u.seq));

CREATE VIEW loxodon_wall.fragments WITH (security_barrier, security_invoker) AS
SELECT * FROM loxodon.fragments t
WHERE EXISTS (SELECT 1 FROM loxodon_wall.turns u WHERE u.seq = t.turn);

CREATE VIEW loxodon_wall.candidates WITH (security_barrier, security_invoker) AS
SELECT * FROM loxodon.candidates t
WHERE EXISTS (SELECT 1 FROM loxodon_wall.turns u WHERE u.seq = t.turn);

CREATE VIEW loxodon_wall.quarantine WITH (security_barrier, security_invoker) AS
SELECT * FROM loxodon.quarantine t
WHERE CASE WHEN t.turn IS NOT NULL
  THEN EXISTS (SELECT 1 FROM loxodon_wall.turns u WHERE u.seq = t.turn)
  ELSE EXISTS (SELECT 1 FROM loxodon_wall.memories m WHERE m.id = t.memory) END;

CREATE VIEW loxodon_wall.jobs WITH (security_barrier, security_invoker) AS
SELECT space_id, name, last_at, seconds, '{}' AS counts, succeeded_at, failed_at, '' AS error,
  failures, runs FROM loxodon.jobs;

-- An entity is its agent's; a group knows those that a memory it may hear is filed under, by that
-- name alone.
CREATE VIEW loxodon_wall.entity_names WITH (security_barrier, security_invoker) AS
SELECT * FROM loxodon.entity_names t
WHERE (loxodon.agent() = '' OR t.agent IN ('', loxodon.agent()))
  AND (NOT loxodon.grouped() OR EXISTS (
    SELECT 1 FROM loxodon_wall.memory_labels l WHERE l.label = 'entity' AND l.name = t.name));

CREATE VIEW loxodon_wall.entities WITH (security_barrier, security_invoker) AS
SELECT t.space_id, t.no, t.name, t.type,
  CASE WHEN loxodon.grouped() THEN '[]' ELSE t.aliases END AS aliases,
  t.created_at, t.updated_at, t.agent
FROM loxodon.entities t
WHERE (loxodon.agent() = '' OR t.agent IN ('', loxodon.agent()))
  AND (NOT loxodon.grouped() OR EXISTS (
    SELECT 1 FROM loxodon_wall.entity_names n WHERE n.entity = t.no AND n.agent = t.agent));

-- An event is of a session and a day, and has no chat of its own.
CREATE VIEW loxodon_wall.events WITH (security_barrier, security_invoker) AS
SELECT * FROM loxodon.events t
WHERE (loxodon.agent() = '' OR t.agent IN ('', loxodon.agent()))
  AND (NOT loxodon.grouped() OR NOT EXISTS (
    SELECT 1 FROM loxodon.sessions s JOIN loxodon.turns u ON u.session = s.no
    WHERE s.id = t.session
      AND NOT EXISTS (SELECT 1 FROM loxodon_wall.turns v WHERE v.seq = u.seq)));

-- Documents are each agent's own; a group has none, and no notes.
CREATE VIEW loxodon_wall.documents WITH (security_barrier, security_invoker) AS
SELECT * FROM loxodon.documents t
WHERE NOT loxodon.grouped()
  AND t.namespace >= current_setting('loxodon.documents')
  AND t.namespace < left(current_setting('loxodon.documents'), -1) || '0';

CREATE VIEW loxodon_wall.source_files WITH (security_barrier, security_invoker) AS
SELECT * FROM loxodon.source_files WHERE NOT loxodon.grouped();
CREATE VIEW loxodon_wall.chunks WITH (security_barrier, security_invoker) AS
SELECT * FROM loxodon.chunks WHERE NOT loxodon.grouped();
CREATE VIEW loxodon_wall.chunk_places WITH (security_barrier, security_invoker) AS
SELECT * FROM loxodon.chunk_places WHERE NOT loxodon.grouped();

-- Pages are the owner's; what is read from behind a wall is made anew of what can be seen.
CREATE VIEW loxodon_wall.pages AS SELECT * FROM loxodon.pages WHERE false;
CREATE VIEW loxodon_wall.followed AS SELECT * FROM loxodon.followed WHERE false;
CREATE VIEW loxodon_wall.imports AS SELECT * FROM loxodon.imports WHERE false;
CREATE VIEW loxodon_wall.receipts AS SELECT * FROM loxodon.receipts WHERE false;

-- One agent's consolidation: memories and entities that are exactly its own.
CREATE SCHEMA loxodon_alone;

CREATE VIEW loxodon_alone.memories WITH (security_barrier, security_invoker) AS
SELECT * FROM loxodon.memories t WHERE t.agent = loxodon.agent();
CREATE VIEW loxodon_alone.memory_labels WITH (security_barrier, security_invoker) AS
SELECT * FROM loxodon.memory_labels t
WHERE EXISTS (SELECT 1 FROM loxodon_alone.memories m WHERE m.row = t.memory);
CREATE VIEW loxodon_alone.entities WITH (security_barrier, security_invoker) AS
SELECT * FROM loxodon.entities WHERE agent = loxodon.agent();
CREATE VIEW loxodon_alone.entity_names WITH (security_barrier, security_invoker) AS
SELECT * FROM loxodon.entity_names WHERE agent = loxodon.agent();
