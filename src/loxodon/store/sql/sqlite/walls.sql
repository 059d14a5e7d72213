-- The views that stand before the tables for whoever is behind a wall (store/walls.py): `any/` for all but
-- one agent's consolidation, `agent/` and `group/` for one without and with a group, `alone/` for that
-- consolidation. {agent} and the rest are texts in quotes.

-- part: own_agent
({agent} = '' OR t.agent IN ('', {agent}))

-- part: of_memory
EXISTS (SELECT 1 FROM memories m WHERE m.row = t.memory)

-- part: of_turn
EXISTS (SELECT 1 FROM turns u WHERE u.seq = t.turn)

-- part: hidden_turn
u.seq NOT IN (SELECT v.seq FROM turns v WHERE v.seq = u.seq)

-- name: alone/memories
SELECT * FROM main.memories t WHERE t.agent = {agent}

-- name: alone/memory_labels
SELECT * FROM main.memory_labels t WHERE {of_memory}

-- name: alone/entities
SELECT * FROM main.entities WHERE agent = {agent}

-- name: alone/entity_names
SELECT * FROM main.entity_names WHERE agent = {agent}

-- name: agent/memories
SELECT * FROM main.memories t WHERE (t.agent IN ('', {agent}) OR t.audience = 'all')

-- name: group/memories
SELECT * FROM main.memories t WHERE t.audience <> 'private' AND ({own_agent} OR t.audience = 'all')

-- name: any/memory_labels
SELECT * FROM main.memory_labels t WHERE {of_memory}

-- name: agent/turns
SELECT * FROM main.turns t WHERE t.agent IN ('', {agent})

-- name: group/turns
SELECT * FROM main.turns t WHERE {own_agent} AND t.chat <> 'direct' AND NOT EXISTS (
  SELECT 1 FROM main.memory_sources s JOIN main.memories m ON m.row = s.memory
  WHERE s.seq = t.seq AND m.audience = 'private')

-- name: any/memory_changes
SELECT * FROM main.memory_changes t WHERE {of_memory}

-- name: any/memory_sources
-- Where a memory comes from is told as far as that may be seen itself.
SELECT * FROM main.memory_sources t
WHERE {of_memory} AND EXISTS (SELECT 1 FROM turns u WHERE u.seq = t.seq)

-- name: any/tokens
SELECT * FROM main.tokens t WHERE {of_memory}

-- name: any/sessions
SELECT s.no, s.id, (SELECT count(*) FROM turns u WHERE u.session = s.no) AS turns,
  (SELECT min(u.at) FROM turns u WHERE u.session = s.no) AS first_at,
  (SELECT max(u.at) FROM turns u WHERE u.session = s.no) AS last_at
FROM main.sessions s WHERE EXISTS (SELECT 1 FROM turns u WHERE u.session = s.no)

-- name: any/segments
-- A stretch of talk is told where all of it may be.
SELECT * FROM main.segments t WHERE NOT EXISTS (SELECT 1 FROM main.turns u
  WHERE u.session = t.session AND u.seq BETWEEN t.first_turn AND t.last_turn AND {hidden_turn})

-- name: any/fragments
SELECT * FROM main.fragments t WHERE {of_turn}

-- name: any/candidates
SELECT * FROM main.candidates t WHERE {of_turn}

-- name: any/quarantine
SELECT * FROM main.quarantine t WHERE CASE WHEN t.turn IS NOT NULL THEN {of_turn}
  ELSE EXISTS (SELECT 1 FROM memories m WHERE m.id = t.memory) END

-- name: any/jobs
SELECT name, last_at, seconds, '{}' AS counts, succeeded_at, failed_at, '' AS error, failures, runs
FROM main.jobs

-- name: any/pages
-- Pages are the owner's; what is read from behind a wall is made anew of what can be seen.
SELECT * FROM main.pages WHERE 0

-- name: any/followed
SELECT * FROM main.followed WHERE 0

-- name: any/imports
SELECT * FROM main.imports WHERE 0

-- name: any/receipts
SELECT * FROM main.receipts WHERE 0

-- name: any/audit
SELECT * FROM main.audit WHERE 0

-- name: agent/entities
SELECT * FROM main.entities t WHERE {own_agent}

-- name: agent/entity_names
SELECT * FROM main.entity_names t WHERE {own_agent}

-- name: agent/events
SELECT * FROM main.events t WHERE {own_agent}

-- name: group/entity_names
-- A group knows those that a memory it may hear is filed under, by that name alone.
SELECT * FROM main.entity_names t WHERE {own_agent} AND EXISTS (
  SELECT 1 FROM memory_labels l WHERE l.label = 'entity' AND l.name = t.name)

-- name: group/entities
SELECT t.no, t.name, t.type, '[]' AS aliases, t.created_at, t.updated_at, t.agent
FROM main.entities t WHERE {own_agent} AND EXISTS (
  SELECT 1 FROM entity_names n WHERE n.entity = t.no AND n.agent = t.agent)

-- name: group/events
-- An event is of a session and a day, and has no chat of its own.
SELECT * FROM main.events t WHERE {own_agent} AND NOT EXISTS (
  SELECT 1 FROM main.sessions s JOIN main.turns u ON u.session = s.no
  WHERE s.id = t.session AND {hidden_turn})

-- name: group/source_files
-- Notes are the owner's and for the agents, not for a group; documents are each agent's own.
SELECT * FROM main.source_files WHERE 0

-- name: group/chunks
SELECT * FROM main.chunks WHERE 0

-- name: group/chunk_places
SELECT * FROM main.chunk_places WHERE 0

-- name: group/documents
SELECT * FROM main.documents WHERE 0

-- name: agent/documents
SELECT * FROM main.documents WHERE namespace >= {path} AND namespace < {path_end}

-- name: any/working_sessions
SELECT * FROM main.working_sessions WHERE owner = {mark}

-- name: any/transcript_lines
SELECT * FROM main.transcript_lines WHERE owner = {mark}
