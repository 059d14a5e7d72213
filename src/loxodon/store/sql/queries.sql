-- Every statement of a store that both backends have, by name, in SQLite's SQL. `tools/sql.py` writes
-- postgres/queries.sql from it, refuses what it does not know, and a test says whether that file is up
-- to date. What a backend has of its own is in sqlite/queries.sql and postgres/own.sql.
--
-- A write names the table itself (`main.`), past any view that stands before it. So does a statement
-- marked `(past)`, which may read and write what is behind the wall of whoever asks.
-- A `part` is text that other statements have in place of its name in braces. Other braces are filled by
-- the caller: {where} with conditions from here, {set} with columns, {index} with the name of an index.

-- Columns -----------------------------------------------------------------------------------------

-- part: memory
t.id, t.kind, t.content, t.created_at, t.updated_at, t.strength, t.agent, t.audience, t.subject,
  t.attribute, t.value, t.category, t.project, t.topic, t.tags, t.entities, t.importance, t.confidence,
  t.sensitivity, t.trust, t.state, t.valid_from, t.valid_until, t.expires_at, t.due_at, t.done,
  t.accessed_at, t.confirmed_at, t.access_count, t.version, t.basis, t.derived_from, t.replaces,
  t.positive, t.strength_at

-- part: turn
t.seq, s.id, t.id, t.role, t.content, t.at, t.utc_offset, t.speaker, t.channel, t.chat, t.origin,
  t.agent FROM turns t JOIN sessions s ON s.no = t.session

-- part: segment
g.no, s.id, g.first_turn, g.last_turn, g.started_at, g.ended_at, g.utc_offset, g.topic, g.tags, g.text
  FROM segments g JOIN sessions s ON s.no = g.session

-- part: event
date, at, session, channel, sender, summary, tokens, trust, compressed, agent FROM events

-- part: entity
e.name, e.type, e.aliases, e.created_at, e.updated_at, e.no

-- part: quarantined
no, turn, memory, start, stop, text, reason, origin, at, state, decided_at FROM quarantine

-- part: document
no, namespace, key, value, created_at, updated_at, minutes, expires_at FROM documents

-- part: file
f.root, f.path, f.role, f.size, f.mtime, f.hash, f.problem

-- part: session_named
(SELECT no FROM sessions WHERE id = ?)

-- Numbers given out once -------------------------------------------------------------------------

-- name: take_numbers
-- The last of :count numbers taken from a counter that starts at 1.
INSERT INTO main.counters (name, last) VALUES (?1, ?2)
ON CONFLICT (name) DO UPDATE SET last = counters.last + ?2
RETURNING last

-- name: counter
SELECT last FROM counters WHERE name = ?

-- name: index_counters
SELECT name, last FROM counters
WHERE name BETWEEN 'rows_' AND 'rows_~' OR name BETWEEN 'changed_' AND 'changed_~'

-- name: get_meta
SELECT value FROM meta WHERE name = ?

-- name: set_meta
INSERT INTO main.meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2

-- The audit log -----------------------------------------------------------------------------------

-- name: put_audit (past)
INSERT INTO main.audit (n, entry, mac) VALUES (?, ?, ?)

-- name: last_audit (past)
SELECT n, entry, mac FROM main.audit ORDER BY n DESC LIMIT 1

-- name: audit_after (past)
SELECT n, entry, mac FROM main.audit WHERE n > ? ORDER BY n LIMIT ?

-- name: audit_before (past)
SELECT n, entry, mac FROM main.audit WHERE n < ? ORDER BY n DESC LIMIT ?

-- name: prune_audit (past)
DELETE FROM main.audit WHERE n < ?

-- The journal -------------------------------------------------------------------------------------

-- name: session_size (past)
SELECT coalesce((SELECT turns FROM main.sessions WHERE id = ?), 0)

-- name: session (past)
-- Of the table itself: a number must not be given out twice, whoever asks.
SELECT no, turns, first_at, last_at FROM main.sessions WHERE id = ?

-- name: put_session (past)
-- It has no turn yet that could be seen, or more than can be.
INSERT INTO main.sessions (no, id, turns, first_at, last_at) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (no) DO UPDATE SET turns = ?3, first_at = ?4, last_at = ?5

-- name: put_turn
INSERT INTO main.turns
  (seq, session, id, key, role, speaker, channel, chat, origin, at, utc_offset, content, agent)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: last_texts
SELECT t.content FROM sessions s CROSS JOIN turns t ON t.session = s.no WHERE s.id = ?
ORDER BY t.seq DESC LIMIT ?

-- name: turn_row
-- The row of a turn by the names that people know it by; the newest, should two share them.
SELECT t.seq FROM sessions s JOIN turns t ON t.session = s.no WHERE s.id = ? AND t.id = ?
ORDER BY t.seq DESC LIMIT 1

-- Memories ----------------------------------------------------------------------------------------

-- name: memory_rows_by_id
SELECT row FROM memories WHERE id IN (SELECT CAST(value AS TEXT) FROM json_each(?))

-- name: memory_row
SELECT row FROM memories WHERE id = ?

-- name: agents
-- Stepping from one agent to the next, so that the cost is that of the agents.
WITH RECURSIVE
  said (name) AS (
    SELECT min(agent) FROM turns WHERE agent <> ''
    UNION ALL
    SELECT (SELECT min(agent) FROM turns WHERE agent <> '' AND agent > said.name)
    FROM said WHERE said.name IS NOT NULL),
  known (name) AS (
    SELECT min(agent) FROM memories WHERE agent <> ''
    UNION ALL
    SELECT (SELECT min(agent) FROM memories WHERE agent <> '' AND agent > known.name)
    FROM known WHERE known.name IS NOT NULL)
SELECT name FROM said WHERE name IS NOT NULL UNION SELECT name FROM known WHERE name IS NOT NULL
ORDER BY name

-- name: put_label
INSERT INTO main.memory_labels (label, name, memory) VALUES (?, ?, ?) ON CONFLICT DO NOTHING

-- name: drop_labels
DELETE FROM main.memory_labels WHERE memory = ? AND label <> 'keyword'

-- name: put_source
-- With the row of the turn by the names that people know it by; the newest, should two share them.
INSERT INTO main.memory_sources (memory, n, session, turn, seq, file, line)
VALUES (?1, ?2, ?3, ?4, (SELECT t.seq FROM sessions s JOIN turns t ON t.session = s.no
  WHERE s.id = ?3 AND t.id = ?4 ORDER BY t.seq DESC LIMIT 1), ?5, ?6)

-- name: drop_sources (past)
-- Those too that cannot be seen: others take their places.
DELETE FROM main.memory_sources WHERE memory = ?

-- name: put_change
INSERT INTO main.memory_changes (memory, version, at, change, before) VALUES (?, ?, ?, ?, ?)

-- name: changes
SELECT version, at, change, before FROM memory_changes WHERE memory = ? ORDER BY version

-- How much there is -------------------------------------------------------------------------------

-- name: count_journal
SELECT (SELECT count(*) FROM turns), (SELECT count(*) FROM sessions)

-- name: turns_held (past)
SELECT count(*) FROM main.turns

-- name: count_memories
SELECT kind, state,
       CASE WHEN importance >= 0.9 THEN 'critical' WHEN importance >= 0.7 THEN 'high'
            WHEN importance >= 0.4 THEN 'medium' ELSE 'low' END AS band,
       count(*)
FROM memories GROUP BY kind, state, band

-- Common words ------------------------------------------------------------------------------------

-- name: common_words
SELECT name, word, share FROM common_words

-- name: drop_common_words
DELETE FROM main.common_words WHERE name = ?

-- name: put_common_word
INSERT INTO main.common_words (name, word, share) VALUES (?, ?, ?)


-- Consolidation: the work log ----------------------------------------------------------------------

-- name: count_pending
SELECT (SELECT count(*) FROM turns WHERE seq > ? AND channel <> 'capture')
  + (SELECT count(*) FROM fragments WHERE stage = 'again')

-- name: put_segment
INSERT INTO main.segments (no, session, first_turn, last_turn, started_at, ended_at, utc_offset, topic, tags, text)
VALUES (?, (SELECT no FROM sessions WHERE id = ?), ?, ?, ?, ?, ?, ?, ?, ?)

-- name: fail_turn
INSERT INTO main.fragments (turn, n, text, type, stage, keep, about, bonus, reason)
VALUES (?1, 0, ?2, 'statement', 'failed', NULL, 'fact', 0.0, ?3)
ON CONFLICT (turn, n) DO UPDATE SET text = ?2, stage = 'failed', keep = NULL, reason = ?3

-- name: read_again
INSERT INTO main.fragments (turn, n, text, type, stage, keep, about, bonus, reason)
VALUES (?1, 0, '', 'statement', 'again', NULL, 'fact', 0.0, '')
ON CONFLICT (turn, n) DO UPDATE SET text = '', type = 'statement', stage = 'again', keep = NULL,
  about = 'fact', bonus = 0.0, reason = ''

-- name: cut_fragment
INSERT INTO main.fragments (turn, n, text, type, stage, keep, about, bonus, reason)
VALUES (?1, ?2, ?3, ?4, 'cut', NULL, 'fact', 0, '')
ON CONFLICT (turn, n) DO UPDATE
SET text = ?3, type = ?4, stage = 'cut', keep = NULL, about = 'fact', bonus = 0, reason = ''

-- name: wait
UPDATE main.fragments SET stage = 'waiting', bonus = ? WHERE turn = ? AND n = ?

-- name: put_off
UPDATE main.fragments SET keep = coalesce(keep, 0) + 1 WHERE turn = ? AND n = ? AND stage = 'waiting'

-- name: drop_waiting
DELETE FROM main.fragments WHERE turn = ? AND n = ? AND stage = 'waiting'

-- name: put_event
INSERT INTO main.events (date, at, session, channel, sender, summary, tokens, trust, compressed, agent)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: put_entity
INSERT INTO main.entities (no, name, type, aliases, created_at, updated_at, agent)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT (no) DO UPDATE SET name = ?2, type = ?3, aliases = ?4, updated_at = ?6

-- name: put_entity_name
-- A name that leads to someone else already stays with them.
INSERT INTO main.entity_names (agent, name, entity) VALUES (?, ?, ?) ON CONFLICT DO NOTHING

-- name: put_review
-- What was answered before may be asked anew.
INSERT INTO main.reviews (belief, against, asked_at, answer)
SELECT b.row, a.row, ?3, '' FROM memories b, memories a WHERE b.id = ?1 AND a.id = ?2
ON CONFLICT (belief) DO UPDATE SET against = excluded.against, asked_at = excluded.asked_at,
  answer = '', answered_at = NULL WHERE reviews.answer <> ''

-- name: answer_review
UPDATE main.reviews SET answer = ?2, answered_at = ?3
WHERE answer = '' AND belief = (SELECT row FROM memories WHERE id = ?1)

-- name: ended
SELECT id FROM memories WHERE state = 'active' AND ends_at <= ? ORDER BY ends_at LIMIT ?

-- name: put_use
INSERT INTO main.memory_uses (memory, day, times, last_at) VALUES (?1, ?2, 1, ?3)
ON CONFLICT (memory, day) DO UPDATE SET times = memory_uses.times + 1, last_at = max(memory_uses.last_at, ?3)

-- name: used
SELECT m.id, count(*), sum(u.times), max(u.last_at)
FROM memory_uses u CROSS JOIN memories m ON m.row = u.memory
GROUP BY u.memory, m.id ORDER BY u.memory

-- name: unindexed
SELECT memory FROM unindexed ORDER BY memory LIMIT ?

-- name: last_changed
SELECT memory FROM (SELECT memory FROM unindexed ORDER BY memory DESC LIMIT ?) u ORDER BY memory

-- name: put_unindexed
INSERT INTO main.unindexed (memory) VALUES (?) ON CONFLICT DO NOTHING

-- name: drop_keywords
DELETE FROM main.memory_labels WHERE memory = ? AND label = 'keyword'

-- name: changes_since
SELECT id, change, at FROM (
  SELECT m.id, c.change, c.at, c.memory, c.version
  FROM memory_changes c JOIN memories m ON m.row = c.memory
  WHERE c.at >= ? ORDER BY c.at DESC, c.memory DESC, c.version DESC LIMIT 2000) l
ORDER BY at, memory, version

-- name: partitions
SELECT project, topic, count(*) FROM memories WHERE state = 'active' AND kind = 'fact'
GROUP BY project, topic HAVING count(*) >= ? ORDER BY project, topic

-- name: of_category
SELECT row FROM memories WHERE state = 'active' AND category = ? ORDER BY row

-- name: page
SELECT text, basis, made_at FROM pages WHERE name = ? AND language = ?

-- name: put_page
INSERT INTO main.pages (name, language, made_at, text, basis) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (name, language) DO UPDATE SET made_at = ?3, text = ?4, basis = ?5

-- name: spend
INSERT INTO main.model_use (day, phase, calls, tokens_in, tokens_out) VALUES (?1, ?2, 1, ?3, ?4)
ON CONFLICT (day, phase) DO UPDATE
SET calls = model_use.calls + 1, tokens_in = model_use.tokens_in + ?3,
  tokens_out = model_use.tokens_out + ?4

-- name: spent
SELECT coalesce(sum(tokens_in + tokens_out), 0) FROM model_use
WHERE day = ? AND phase <> 'trial'

-- name: ledger
SELECT day, phase, calls, tokens_in, tokens_out FROM model_use
WHERE day IN (SELECT DISTINCT day FROM model_use ORDER BY day DESC LIMIT ?)
ORDER BY day DESC, phase

-- Overviews ---------------------------------------------------------------------------------------

-- name: altered
-- Of each memory the first and the last change since a time, but for some.
WITH since AS (
  SELECT c.memory, min(c.version) AS first, max(c.version) AS last, max(c.at) AS at
  FROM memory_changes c
  WHERE c.at >= ?1 AND instr(?2, '"' || c.change || '"') = 0
    AND EXISTS (SELECT 1 FROM memories m WHERE m.row = c.memory AND m.kind <> 'summary')
  GROUP BY c.memory ORDER BY 4 DESC, c.memory DESC LIMIT ?3
)
SELECT s.memory, l.change, l.at, f.before FROM since s
JOIN memory_changes f ON f.memory = s.memory AND f.version = s.first
JOIN memory_changes l ON l.memory = s.memory AND l.version = s.last
ORDER BY s.at DESC, s.memory DESC

-- name: ties
SELECT t.id, t.subject, t.attribute, t.value, t.entities, t.project, t.strength, t.strength_at,
  t.kind, t.importance, coalesce(
    (SELECT min(u.at) FROM memory_sources s JOIN turns u ON u.seq = s.seq WHERE s.memory = t.row),
    t.created_at), t.updated_at, CASE WHEN t.state = 'active' THEN 0 ELSE t.valid_until END
FROM memories t
WHERE (+t.state = 'active' OR (t.value <> '' AND t.valid_until IS NOT NULL)) AND t.kind <> 'summary'

-- name: label_uses
SELECT l.name, count(*), max(l.memory) FROM memory_labels l JOIN memories m ON m.row = l.memory
WHERE l.label = ? AND m.state = 'active' GROUP BY l.name ORDER BY 2 DESC, l.name LIMIT ?

-- name: made_from
SELECT row FROM memories WHERE replaces = ?1 AND replaces <> ''
UNION
SELECT row FROM memories WHERE derived_from <> '[]' AND instr(derived_from, '"' || ?1 || '"') > 0
ORDER BY row

-- name: memory_strength
SELECT row, strength, strength_at, kind, importance, state, agent, audience FROM memories
WHERE id = ?

-- Vectors -----------------------------------------------------------------------------------------

-- name: vector_model
SELECT no, size, turns_to, memories_to, chunks_to, sampled, error, frame, spread
FROM vector_models WHERE name = ?

-- name: vector_size
SELECT size FROM vector_models WHERE name = ?

-- name: vector_models
SELECT no, name FROM vector_models ORDER BY no

-- name: put_vector_model
INSERT INTO main.vector_models (name, size, turns_to, memories_to, sampled, frame, spread, error)
VALUES (?, 0, 0, 0, 0, ?, 1, '') ON CONFLICT DO NOTHING

-- name: set_vector_frame
UPDATE main.vector_models SET sampled = ?, frame = ?, spread = ? WHERE no = ?

-- name: set_vector_size
UPDATE main.vector_models SET size = ? WHERE no = ? AND size = 0

-- name: set_vector_error
UPDATE main.vector_models SET error = ? WHERE name = ? AND error <> ?1

-- name: count_vectors
SELECT count(*) FROM vectors WHERE model = ?

-- name: next_memories
SELECT t.row FROM vector_models m CROSS JOIN memories t ON t.row > m.memories_to
WHERE m.name = ?1 AND NOT EXISTS (
  SELECT 1 FROM vectors v WHERE v.row = t.row AND v.pool IN ('memories', 'archive') AND v.model = m.no)
ORDER BY t.row LIMIT ?2

-- name: next_turns
SELECT t.seq FROM vector_models m CROSS JOIN turns t ON t.seq > m.turns_to
WHERE m.name = ?1 AND NOT EXISTS (
  SELECT 1 FROM vectors v WHERE v.row = t.seq AND v.pool = 'turns' AND v.model = m.no)
ORDER BY t.seq LIMIT ?2

-- name: next_chunks
SELECT t.no FROM vector_models m CROSS JOIN chunks t ON t.no > m.chunks_to
WHERE m.name = ?1 AND NOT EXISTS (
  SELECT 1 FROM vectors v WHERE v.row = t.no AND v.pool = 'chunks' AND v.model = m.no)
ORDER BY t.no LIMIT ?2

-- name: advance_memories
UPDATE main.vector_models SET memories_to = max(memories_to, ?) WHERE name = ?

-- name: advance_turns
UPDATE main.vector_models SET turns_to = max(turns_to, ?) WHERE name = ?

-- name: advance_chunks
UPDATE main.vector_models SET chunks_to = max(chunks_to, ?) WHERE name = ?

-- name: vectors_behind
-- Rows that a model has not come to yet, less those of them that it has, or failed on, already.
SELECT (SELECT count(*) FROM memories WHERE row > ?2) + (SELECT count(*) FROM turns WHERE seq > ?3)
  + (SELECT count(*) FROM chunks WHERE no > ?4)
  - (SELECT count(*) FROM vectors WHERE row > ?4 AND pool = 'chunks' AND model = ?1)
  - (SELECT count(*) FROM vector_todo WHERE model = ?1 AND kind = 'chunks' AND row > ?4)
  - (SELECT count(*) FROM vectors WHERE row > ?2 AND pool IN ('memories', 'archive') AND model = ?1)
  - (SELECT count(*) FROM vectors WHERE row > ?3 AND pool = 'turns' AND model = ?1)
  - (SELECT count(*) FROM vector_todo WHERE model = ?1 AND kind = 'memories' AND row > ?2)
  - (SELECT count(*) FROM vector_todo WHERE model = ?1 AND kind = 'turns' AND row > ?3)

-- name: queue_turn
INSERT INTO main.vector_todo (model, kind, row, tries, error)
SELECT no, 'turns', ?1, 0, '' FROM vector_models WHERE turns_to >= ?1
ON CONFLICT DO NOTHING

-- name: queue_memory
-- A memory has to be embedded again by every model that has come past it.
INSERT INTO main.vector_todo (model, kind, row, tries, error)
SELECT no, 'memories', ?1, 0, '' FROM vector_models WHERE memories_to >= ?1
ON CONFLICT (model, kind, row) DO UPDATE SET tries = 0, error = ''

-- name: fail_vector
INSERT INTO main.vector_todo (model, kind, row, tries, error)
VALUES ((SELECT no FROM vector_models WHERE name = ?1), ?2, ?3, 1, ?4)
ON CONFLICT (model, kind, row) DO UPDATE SET tries = vector_todo.tries + 1, error = excluded.error

-- name: vector_todo
SELECT kind, row FROM vector_todo WHERE model = (SELECT no FROM vector_models WHERE name = ?1) AND tries < ?2 ORDER BY kind, row

-- name: settle_vector
DELETE FROM main.vector_todo WHERE model = (SELECT no FROM vector_models WHERE name = ?1) AND kind = ?2 AND row = ?3

-- name: count_vector_todo
SELECT count(*), count(*) FILTER (WHERE tries > 0), coalesce(max(error), '')
FROM vector_todo WHERE model = ?

-- name: drop_vector_todo
DELETE FROM main.vector_todo WHERE kind = ? AND row IN (SELECT value FROM json_each(?))

-- name: put_vector
INSERT INTO main.vectors (model, pool, row, hash, half) VALUES (?, ?, ?, ?, ?)

-- name: move_vector
UPDATE main.vectors SET pool = ?1 WHERE row = ?2 AND pool IN ('memories', 'archive')

-- name: drop_vectors
DELETE FROM main.vectors WHERE pool IN (?1, ?2) AND row IN (SELECT value FROM json_each(?3))

-- name: drop_model_vectors
DELETE FROM main.vectors
WHERE model = ?1 AND pool IN (?2, ?3) AND row IN (SELECT value FROM json_each(?4))

-- name: vectors_of_rows
SELECT row, half FROM vectors
WHERE model = ?1 AND pool = ?2 AND row IN (SELECT value FROM json_each(?3))

-- name: vectors_of_block
SELECT row, half FROM vectors
WHERE model = ?1 AND pool = ?2 AND row >= ?3 AND row < ?4 ORDER BY row

-- name: sampled_vectors
-- Every ?2nd row of a model, as good as shuffled; of turns also the text, to tell questions from the
-- rest.
SELECT substr(coalesce(t.content, ''), 1, 200),
  substr(coalesce(t.content, ''), length(coalesce(t.content, '')) - 9), v.half
FROM vectors v LEFT JOIN turns t ON v.pool = 'turns' AND t.seq = v.row
WHERE v.model = ?1 AND v.row % ?2 = 0
ORDER BY v.hash, v.pool, v.row

-- name: count_astray_vectors
-- Vectors of what does not exist, or is in another pool.
SELECT count(*) FROM vectors WHERE
  pool = 'turns' AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.seq = vectors.row)
  OR pool = 'memories' AND NOT EXISTS (
    SELECT 1 FROM memories m WHERE m.row = vectors.row AND m.state = 'active')
  OR pool = 'archive' AND NOT EXISTS (
    SELECT 1 FROM memories m WHERE m.row = vectors.row AND m.state = 'archived')
  OR pool = 'chunks' AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.no = vectors.row)

-- name: drop_astray_vectors
DELETE FROM main.vectors WHERE
  pool = 'turns' AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.seq = vectors.row)
  OR pool = 'memories' AND NOT EXISTS (
    SELECT 1 FROM memories m WHERE m.row = vectors.row AND m.state = 'active')
  OR pool = 'archive' AND NOT EXISTS (
    SELECT 1 FROM memories m WHERE m.row = vectors.row AND m.state = 'archived')
  OR pool = 'chunks' AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.no = vectors.row)

-- name: sign_versions
SELECT block, version FROM vector_signs WHERE model = ? AND pool = ?

-- name: signs
SELECT block, rows, bits FROM vector_signs
WHERE model = ?1 AND pool = ?2 AND block IN (SELECT value FROM json_each(?3))

-- name: empty_signs
-- Of the blocks of these rows, in any model.
INSERT INTO main.vector_signs (model, pool, block, version)
SELECT DISTINCT v.model, v.pool, v.row / 1024, CAST(?1 AS bigint) FROM vectors v
WHERE v.pool IN (?2, ?3) AND v.row IN (SELECT value FROM json_each(?4))
ON CONFLICT (model, pool, block) DO UPDATE
SET version = excluded.version, rows = excluded.rows, bits = excluded.bits

-- name: empty_all_signs
INSERT INTO main.vector_signs (model, pool, block, version)
SELECT DISTINCT v.model, v.pool, v.row / 1024, CAST(?2 AS bigint) FROM vectors v WHERE v.model = ?1

-- name: drop_all_signs
DELETE FROM main.vector_signs WHERE model = ?

-- name: emptied_signs
SELECT pool, block FROM vector_signs WHERE model = ? AND length(bits) = 0

-- name: put_signs
UPDATE main.vector_signs SET rows = ?4, bits = ?5 WHERE model = ?1 AND pool = ?2 AND block = ?3

-- name: drop_signs
DELETE FROM main.vector_signs WHERE model = ? AND pool = ? AND block = ?

-- name: count_unsigned_vectors
SELECT count(*) FROM vectors v WHERE NOT EXISTS (
  SELECT 1 FROM vector_signs s
  WHERE s.model = v.model AND s.pool = v.pool AND s.block = v.row / 1024)

-- The workspace: files, marks, imports ----------------------------------------------------------------

-- name: source_file
SELECT no FROM source_files WHERE root = ? AND path = ?

-- name: put_source_file
INSERT INTO main.source_files (no, root, path, role, size, mtime, hash, read_at, problem)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
ON CONFLICT (no) DO UPDATE
SET role = ?4, size = ?5, mtime = ?6, hash = ?7, read_at = ?8, problem = ?9

-- name: chunk_counts
SELECT f.root, f.path, count(*) FROM chunk_places p JOIN source_files f ON f.no = p.file
GROUP BY f.no, f.root, f.path

-- name: put_chunk
INSERT INTO main.chunks (no, hash, text) VALUES (?, ?, ?)

-- name: put_place
INSERT INTO main.chunk_places (file, n, chunk, first_line, last_line, heading, at, type, importance, project, triggers)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: places_of
SELECT chunk FROM chunk_places WHERE file = ?

-- name: dated_chunks
SELECT chunk FROM chunk_places WHERE at >= ? AND at < ? GROUP BY chunk
ORDER BY max(at) DESC, chunk DESC LIMIT ?

-- name: mark
SELECT mark FROM followed WHERE path = ? AND session = ?

-- name: marks
SELECT session, mark FROM followed WHERE path = ? ORDER BY session

-- name: set_mark
INSERT INTO main.followed (path, session, mark, read_at) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (path, session) DO UPDATE SET mark = ?3, read_at = ?4

-- name: put_import
-- What was imported stays with the memory that it first became.
INSERT INTO main.imports (key, memory, at) SELECT ?1, row, ?3 FROM memories WHERE id = ?2
ON CONFLICT DO NOTHING

-- The background -----------------------------------------------------------------------------------

-- name: jobs
SELECT name, last_at, seconds, counts, succeeded_at, failed_at, error, failures, runs FROM jobs

-- name: put_job
INSERT INTO main.jobs
  (name, last_at, seconds, counts, succeeded_at, failed_at, error, failures, runs)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
ON CONFLICT (name) DO UPDATE SET last_at = ?2, seconds = ?3, counts = ?4, succeeded_at = ?5,
  failed_at = ?6, error = ?7, failures = ?8, runs = ?9

-- name: past_due
-- Each of these by its own index: left to itself, SQLite looks through all that is active.
SELECT row FROM memories INDEXED BY memories_by_due WHERE due_at IS NOT NULL AND done = 0 AND state = 'active' AND due_at <= ?
ORDER BY due_at, row LIMIT ?

-- name: supposed
SELECT row FROM memories INDEXED BY memories_supposed
WHERE kind = 'belief' AND state = 'active' AND category = ? AND updated_at < ?
ORDER BY updated_at, row LIMIT ?

-- name: mattering
SELECT row FROM memories m INDEXED BY memories_that_matter
WHERE kind = 'fact' AND state = 'active' AND importance >= 0.7
  AND EXISTS (SELECT 1 FROM json_each(?1) c WHERE c.value = category)
  AND max(coalesce(confirmed_at, 0), created_at) < ?2
  AND NOT EXISTS (SELECT 1 FROM reviews r WHERE r.belief = m.row AND r.asked_at >= ?2)
ORDER BY importance DESC, row LIMIT ?3

-- Documents ----------------------------------------------------------------------------------------

-- name: put_document
INSERT INTO main.documents (no, namespace, key, value, text, created_at, updated_at, minutes, expires_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: document_named
SELECT {document} WHERE namespace = ? AND key = ?

-- name: document_ended
SELECT no FROM documents WHERE expires_at <= ? ORDER BY expires_at LIMIT ?

-- Working sessions ---------------------------------------------------------------------------------

-- name: working_session
SELECT entry FROM working_sessions WHERE owner = ? AND key = ?

-- name: working_sessions
SELECT owner, key, entry FROM working_sessions ORDER BY owner, key

-- name: put_working_session
INSERT INTO main.working_sessions (owner, key, entry) VALUES (?1, ?2, ?3)
ON CONFLICT (owner, key) DO UPDATE SET entry = ?3

-- name: drop_working_session
DELETE FROM main.working_sessions WHERE owner = ? AND key = ?

-- name: transcripts
SELECT session, min(owner) FROM transcript_lines GROUP BY session ORDER BY session

-- name: transcript_lines
SELECT n, line FROM transcript_lines WHERE session = ? AND n > ? ORDER BY n

-- name: put_transcript_line
INSERT INTO main.transcript_lines (session, n, owner, line) VALUES (?, ?, ?, ?)

-- name: set_transcript_line
UPDATE main.transcript_lines SET line = ? WHERE session = ? AND n = ?

-- The quarantine -----------------------------------------------------------------------------------

-- name: put_quarantine
INSERT INTO main.quarantine
  (no, turn, memory, start, stop, text, reason, origin, at, state, decided_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: quarantine_of_memory (past)
-- Until then it is of nothing that could be seen.
UPDATE main.quarantine SET memory = ? WHERE no = ?

-- name: decide_quarantine
UPDATE main.quarantine SET state = ?, decided_at = ?, text = ? WHERE no = ?

-- What rows are found by ---------------------------------------------------------------------------

-- part: turn_text
-- `Turn.searchable`.
speaker || '
' || content

-- part: memory_text
-- The words of `Record.searchable`: the lists are JSON, whose marks are no words.
content || '
' || tags || entities

-- part: segment_text
topic || '
' || tags || '
' || text

-- part: chunk_text
-- A chunk's words, and the headings, project, file and triggers of the first places where it stands: a
-- line of a template may stand in thousands of files. A name such as MEMORY.md tells nothing.
text || coalesce((SELECT '
' || string_agg(p.heading || '
' || p.project || '
' || CASE WHEN f.role IN ('daily', 'note')
    THEN replace(replace(f.path, rtrim(f.path, replace(f.path, '/', '')), ''), '.md', '')
    ELSE '' END || '
' || (SELECT coalesce(string_agg(j.value, '
'), '') FROM json_each(p.triggers) j), '
')
  FROM (SELECT * FROM chunk_places WHERE chunk = chunks.no ORDER BY file, n LIMIT 20) p
  JOIN source_files f ON f.no = p.file), '')

-- part: rows_of_turns
(SELECT seq AS row, {turn_text} AS text FROM turns)

-- part: rows_of_memories
(SELECT row, {memory_text} AS text FROM memories)

-- part: rows_of_archive
(SELECT row, {memory_text} AS text FROM memories)

-- part: rows_of_segments
(SELECT no AS row, {segment_text} AS text FROM segments)

-- part: rows_of_chunks
(SELECT no AS row, {chunk_text} AS text FROM chunks)

-- part: rows_of_documents
(SELECT no AS row, text FROM documents)

-- part: all_of_turns
(SELECT seq AS row, {turn_text} AS text FROM main.turns)

-- part: all_of_memories
(SELECT row, {memory_text} AS text FROM main.memories WHERE state = 'active')

-- part: all_of_archive
(SELECT row, {memory_text} AS text FROM main.memories WHERE state = 'archived')

-- part: all_of_segments
(SELECT no AS row, {segment_text} AS text FROM main.segments)

-- part: all_of_chunks
(SELECT no AS row, {chunk_text} AS text FROM main.chunks AS chunks)

-- part: all_of_documents
(SELECT no AS row, text FROM main.documents)

-- name: texts
SELECT row, text FROM {rows} t WHERE row IN (SELECT value FROM json_each(?))

-- name: texts_begun
SELECT row, substr(text, 1, 1000) FROM {rows} t WHERE row IN (SELECT value FROM json_each(?))

-- name: texts_after
SELECT row, text FROM {rows} t WHERE row > ? ORDER BY row LIMIT ?

-- name: sampled_texts (past)
SELECT text FROM {rows} t WHERE row IN (SELECT value FROM json_each(?))

-- name: last_row (past)
SELECT max({key}) FROM main.{table}

-- name: count_rows
SELECT count(*) FROM {table}

-- name: matching
SELECT t.{key} FROM {table} t WHERE {where}

-- name: matching_of
SELECT t.{key} FROM {table} t WHERE t.{key} IN (SELECT value FROM json_each(?)) AND {where}

-- name: turns_within
-- How many turns were said in a time, up to a number, and the first and the last of them.
SELECT count(*), min(seq), max(seq) FROM (SELECT seq FROM turns WHERE at >= ? AND at < ? LIMIT ?) t

-- name: sampled_turns (past)
SELECT seq, session, substr(content, 1, 1000) FROM main.turns
WHERE seq IN (SELECT value FROM json_each(?))

-- name: drop_common_word
DELETE FROM main.common_words WHERE name = ? AND word = ?

-- name: clear_labels
DELETE FROM main.memory_labels

-- name: clear_common_words
DELETE FROM main.common_words

-- name: unindex_all
INSERT INTO main.unindexed (memory) SELECT row FROM memories WHERE true ON CONFLICT DO NOTHING

-- name: clear_samples
DELETE FROM main.meta WHERE name LIKE 'sampled\_%' ESCAPE '\'

-- name: clear_row_counts
DELETE FROM main.counters WHERE name LIKE 'rows\_%' ESCAPE '\'

-- name: zero_row_counts
UPDATE main.counters SET last = 0 WHERE name LIKE 'rows\_%' ESCAPE '\'

-- name: memories_after
SELECT t.row, {memory} FROM memories t WHERE t.row > ? AND +t.state = ? ORDER BY t.row LIMIT ?

-- name: set_end
UPDATE main.memories SET ends_at = ? WHERE row = ?

-- name: entity_aliases
SELECT no, name, aliases, agent FROM entities ORDER BY no

-- name: clear_entity_names
DELETE FROM main.entity_names

-- Conditions ----------------------------------------------------------------------------------------

-- part: memory_kind
t.kind = ?

-- part: memory_state
t.state = ?

-- part: memory_state_of_few
+t.state = ?

-- part: memory_label
EXISTS (SELECT 1 FROM memory_labels l WHERE l.label = ? AND l.name = ? AND l.memory = t.row)

-- part: memory_of_few
-- Few have the label: it leads.
t.row IN (SELECT memory FROM memory_labels WHERE label = ? AND name = ?)

-- part: memory_about
t.row IN (SELECT memory FROM memory_labels WHERE label = 'about' AND name = ?)

-- part: memory_shared
t.audience <> 'private'

-- part: memory_audience
t.audience = ?

-- part: memory_trust
t.trust IN (SELECT CAST(value AS TEXT) FROM json_each(?))

-- part: memory_since
coalesce(t.valid_from, t.created_at) >= ?

-- part: memory_until
coalesce(t.valid_from, t.created_at) < ?

-- part: memory_projects
lower(t.project) IN (SELECT lower(value) FROM json_each(?))

-- part: turn_session
t.session = {session_named}

-- part: turn_shared
t.chat <> 'direct' AND NOT EXISTS (SELECT 1 FROM memory_sources s JOIN memories m
  ON m.row = s.memory WHERE s.seq = t.seq AND m.audience = 'private')

-- part: turn_since
t.at >= ?

-- part: turn_until
t.at < ?

-- part: segment_since
t.ended_at >= ?

-- part: segment_until
t.started_at < ?

-- part: nothing
false

-- part: chunk_place
-- What has no day is as old as its file may be.
EXISTS (SELECT 1 FROM chunk_places p JOIN source_files f ON f.no = p.file WHERE p.chunk = t.no
  AND coalesce(p.at, f.mtime / 1000000) >= ? AND (p.at IS NULL OR p.at < ?)
  AND (CAST(? AS TEXT) IS NULL OR lower(p.project) = lower(?)))

-- part: document_under
t.namespace >= ? AND t.namespace < ?

-- part: document_in
t.namespace = ?

-- part: document_before
t.no < ?

-- The journal, again -------------------------------------------------------------------------------

-- name: known_turns (past)
SELECT key, content, origin = 'user' AND speaker = '' FROM main.turns
WHERE key IN (SELECT unhex(value) FROM json_each(?))

-- name: turns_by_key
SELECT seq, key FROM turns WHERE key IN (SELECT unhex(value) FROM json_each(?))

-- name: set_speaker (past)
UPDATE main.turns SET speaker = ?, origin = ? WHERE seq = ?

-- name: turns
SELECT {turn} WHERE t.seq IN (SELECT value FROM json_each(?))

-- name: last_turn
SELECT coalesce(max(seq), 0) FROM turns

-- name: turns_after
SELECT {turn} WHERE t.seq > ? AND t.seq <= ? ORDER BY t.seq LIMIT ?

-- name: turns_before
-- The last before one, in order.
SELECT {turn} WHERE t.seq IN (
  SELECT o.seq FROM turns o WHERE o.session = {session_named} AND o.seq < ? ORDER BY o.seq DESC LIMIT ?
) ORDER BY t.seq

-- name: turns_behind
SELECT {turn} WHERE t.session = {session_named} AND t.seq > ? ORDER BY t.seq LIMIT ?

-- name: turns_from
SELECT {turn} WHERE t.session = {session_named} AND t.seq BETWEEN ? AND ? ORDER BY t.seq

-- name: turns_of_days
-- Every turn of the sessions and days, by the clock of who spoke, that some turns are of.
SELECT {turn} WHERE (t.session, {day}) IN (
  SELECT t.session, {day} FROM turns t WHERE t.seq IN (SELECT value FROM json_each(?))
) ORDER BY t.seq

-- name: replies_to
-- What was said right after some turns, up to what the user said next.
SELECT DISTINCT r.seq FROM turns t JOIN turns r ON r.session = t.session AND r.seq > t.seq
WHERE t.seq IN (SELECT value FROM json_each(?)) AND NOT EXISTS (
  SELECT 1 FROM turns u WHERE u.session = t.session AND u.role = 'user'
  AND u.seq > t.seq AND u.seq <= r.seq
)

-- name: turns_to_read_again
SELECT {turn} WHERE t.seq IN (SELECT turn FROM fragments WHERE stage = 'again')
ORDER BY t.seq LIMIT ?

-- name: turns_being_read_again
SELECT {turn} WHERE t.seq IN (SELECT turn FROM fragments WHERE stage = 'cut' AND turn <= ?)
ORDER BY t.seq

-- name: places
SELECT t.seq, t.session, t.role, t.speaker, t.channel, t.at FROM turns t
WHERE t.seq IN (SELECT value FROM json_each(?))

-- name: beside
-- The two turns before and the two after, nearest first.
SELECT t.seq,
  (SELECT n.seq FROM turns n WHERE n.session = t.session AND n.seq < t.seq
   ORDER BY n.seq DESC LIMIT 1 OFFSET 0),
  (SELECT n.seq FROM turns n WHERE n.session = t.session AND n.seq < t.seq
   ORDER BY n.seq DESC LIMIT 1 OFFSET 1),
  (SELECT n.seq FROM turns n WHERE n.session = t.session AND n.seq > t.seq
   ORDER BY n.seq LIMIT 1 OFFSET 0),
  (SELECT n.seq FROM turns n WHERE n.session = t.session AND n.seq > t.seq
   ORDER BY n.seq LIMIT 1 OFFSET 1)
FROM turns t WHERE t.seq IN (SELECT value FROM json_each(?))

-- Memories, again ----------------------------------------------------------------------------------

-- part: last_change
memory_changes c ON c.memory = m.row AND c.version = m.version

-- part: standing_of
-- The standing of a memory `m` with its last change `c`. A belief may have been corrected before it was
-- confirmed. What happened has happened: only a state that has a successor is over.
CASE WHEN m.state = 'active' THEN CASE WHEN EXISTS (
  SELECT 1 FROM memory_changes e WHERE e.memory = m.row AND e.change = 'edited'
  AND json_extract(e.before, '$.content') <> m.content)
OR m.kind = 'fact' AND m.derived_from <> '[]' AND EXISTS (
  SELECT 1 FROM json_each(m.derived_from) d JOIN memories b ON b.id = d.value
  JOIN memory_changes e ON e.memory = b.row AND e.change = 'edited'
  AND json_extract(e.before, '$.content') <> m.content)
THEN 'reworded' ELSE 'live' END
WHEN m.valid_until IS NOT NULL AND m.category <> 'event' AND (m.attribute <> ''
  OR EXISTS (SELECT 1 FROM memories n WHERE n.replaces = m.id AND n.replaces <> ''))
THEN 'past' WHEN m.valid_until IS NOT NULL THEN 'faded'
WHEN c.change IN ('rejected', 'denied') THEN 'rejected'
WHEN c.change IN ('archived', 'confirmed') THEN 'put away' ELSE 'faded' END

-- name: put_memory
INSERT INTO main.memories (row, ends_at, id, kind, content, created_at, updated_at, strength, agent,
  audience, subject, attribute, value, category, project, topic, tags, entities, importance,
  confidence, sensitivity, trust, state, valid_from, valid_until, expires_at, due_at, done,
  accessed_at, confirmed_at, access_count, version, basis, derived_from, replaces, positive,
  strength_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
  ?, ?, ?, ?, ?)

-- name: set_memory
UPDATE main.memories SET {set} WHERE row = ?

-- name: has_memory (past)
SELECT 1 FROM main.memories WHERE id = ?

-- name: memory_itself (past)
SELECT {memory} FROM main.memories t WHERE t.row = ?

-- name: memories
SELECT t.row, {memory} FROM memories t WHERE t.row IN (SELECT value FROM json_each(?))

-- name: find_strongest
-- What has furthest to fall is strongest.
SELECT t.row, {memory} FROM memories t WHERE {where} ORDER BY t.ends_at DESC, t.row DESC LIMIT ?

-- name: foremost
SELECT t.row FROM memories t WHERE {where} ORDER BY t.importance DESC, t.row DESC LIMIT ?

-- name: labelled
SELECT l.memory FROM memory_labels l CROSS JOIN memories t ON t.row = l.memory
WHERE l.label = ? AND l.name = ? AND t.state = ? ORDER BY l.memory DESC LIMIT ?

-- name: count_labelled
SELECT count(*) FROM (SELECT 1 FROM memory_labels WHERE label = ? AND name = ? LIMIT ?) t

-- name: told_at
SELECT s.memory, min(t.at) FROM memory_sources s JOIN turns t ON t.seq = s.seq
WHERE s.memory IN (SELECT value FROM json_each(?)) GROUP BY s.memory

-- name: sources
SELECT memory, session, turn, file, line FROM memory_sources
WHERE memory IN (SELECT value FROM json_each(?)) ORDER BY memory, n

-- name: standing
SELECT m.row, {standing_of} FROM memories m JOIN {last_change}
WHERE m.row IN (SELECT value FROM json_each(?))

-- name: doubts
SELECT r.belief, r.against FROM reviews r
WHERE r.belief IN (SELECT value FROM json_each(?)) AND r.answer = '' AND r.against <> r.belief

-- name: outcomes
SELECT s.seq, s.memory, c.change, {standing_of} FROM memory_sources s
LEFT JOIN memories m ON m.row = s.memory LEFT JOIN {last_change}
WHERE s.seq IN (SELECT value FROM json_each(?))

-- name: drawn_from
SELECT seq, memory FROM memory_sources WHERE seq IN (SELECT value FROM json_each(?))

-- name: successors
-- `replaces` is never empty there: the index has only what replaces something.
WITH RECURSIVE next (first, row, id) AS (
  SELECT row, row, id FROM memories WHERE row IN (SELECT value FROM json_each(?))
  UNION
  SELECT next.first, m.row, m.id FROM next CROSS JOIN memories m
  ON m.replaces = next.id AND m.replaces <> '')
SELECT next.first, next.row FROM next JOIN memories m ON m.row = next.row
WHERE next.row <> next.first AND m.state = 'active' ORDER BY next.row

-- name: marks_version
SELECT count(*) || ':' || coalesce(sum(until % 1000000), 0) FROM tombstones

-- name: memories_version
SELECT coalesce(sum(last), 0) || ':' || (SELECT count(*) FROM tombstones) FROM counters
WHERE name IN ('memory', 'changed_memories')

-- Names ----------------------------------------------------------------------------------------------

-- part: entities_of_names
-- Stepping from one agent to the next: names are kept for each.
WITH RECURSIVE agents (name) AS (
  SELECT min(agent) FROM entity_names
  UNION ALL
  SELECT (SELECT min(agent) FROM entity_names WHERE agent > agents.name)
  FROM agents WHERE agents.name IS NOT NULL)
SELECT n.agent, n.name, {entity} FROM agents CROSS JOIN json_each(?1) j ON true
CROSS JOIN entity_names n ON n.agent = agents.name AND n.name = j.value
CROSS JOIN entities e ON e.no = n.entity

-- name: entities_named
-- The shared ones come last.
{entities_of_names} ORDER BY 1 DESC

-- name: named
-- Projects and topics as the newest memory with such a label writes them. One statement, because a
-- server may be far away.
{entities_of_names}
UNION ALL
SELECT 'project', j.value, (SELECT t.project FROM memories t WHERE t.row =
  (SELECT max(l.memory) FROM memory_labels l WHERE l.label = 'project' AND l.name = j.value)),
  '', '', 0, 0, 0 FROM json_each(?1) j
UNION ALL
SELECT 'topic', j.value, (SELECT t.topic FROM memories t WHERE t.row =
  (SELECT max(l.memory) FROM memory_labels l WHERE l.label = 'topic' AND l.name = j.value)),
  '', '', 0, 0, 0 FROM json_each(?1) j
ORDER BY 1 DESC

-- name: entities
SELECT {entity} FROM entities e ORDER BY e.no

-- name: entity_agent (past)
SELECT agent FROM main.entities WHERE no = ?

-- name: drop_entity_names
DELETE FROM main.entity_names WHERE entity = ?

-- name: drop_entity
DELETE FROM main.entities WHERE no = ?

-- name: aliases
SELECT name, aliases FROM entities WHERE aliases <> '[]' AND agent IN ('', ?) ORDER BY agent, no

-- Calls that were done -------------------------------------------------------------------------------

-- name: call_done
SELECT t.request, m.id, t.version FROM tokens t JOIN memories m ON m.row = t.memory
WHERE t.token = ? AND t.at >= ?

-- name: drop_old_calls (past)
DELETE FROM main.tokens WHERE at < ?

-- name: put_call (past)
-- One that is there, and of a memory that cannot be seen any more, is given away.
INSERT INTO main.tokens (token, request, memory, version, at)
SELECT ?1, ?2, row, ?3, ?4 FROM main.memories WHERE id = ?5
ON CONFLICT (token) DO UPDATE SET request = excluded.request, memory = excluded.memory,
  version = excluded.version, at = excluded.at

-- Consolidation, again -------------------------------------------------------------------------------

-- name: pool_sizes
SELECT (SELECT count(*) FROM memories WHERE state = 'active'),
  (SELECT count(*) FROM memories WHERE state = 'archived'), (SELECT count(*) FROM entities),
  (SELECT count(DISTINCT name) FROM memory_labels WHERE label = 'topic'),
  (SELECT count(*) FROM turns)

-- name: last_segment
SELECT {segment} WHERE g.session = {session_named} ORDER BY g.last_turn DESC LIMIT 1

-- name: drop_segment
DELETE FROM main.segments WHERE no = ?

-- name: drop_fragments
DELETE FROM main.fragments WHERE turn = ?

-- name: drop_cut_fragments
DELETE FROM main.fragments WHERE stage = 'cut'

-- name: drop_asked_fragments
DELETE FROM main.fragments WHERE stage = 'waiting' AND keep >= ?

-- name: drop_fragment
DELETE FROM main.fragments WHERE turn = ? AND n = ?

-- name: fragments
SELECT turn, n, text, type FROM fragments WHERE stage = ? ORDER BY turn, n LIMIT ?

-- name: waiting
SELECT turn, n, text, type, bonus FROM fragments WHERE stage = 'waiting' ORDER BY turn, n

-- name: count_fragments
SELECT count(*) FROM fragments WHERE stage = ?

-- name: put_candidate
INSERT INTO main.candidates (turn, body) VALUES (?, ?)

-- name: candidates
SELECT no, turn, body FROM candidates ORDER BY no

-- name: drop_candidates
DELETE FROM main.candidates

-- name: drop_candidate
DELETE FROM main.candidates WHERE no = ?

-- name: drop_candidates_of
DELETE FROM main.candidates WHERE turn = ?

-- name: events
SELECT {event} WHERE date >= ? ORDER BY date, at, no

-- name: count_events
SELECT count(*) FROM events

-- name: pending_events
SELECT {event} WHERE date < ? AND compressed = 0 ORDER BY date, at, no

-- name: mark_compressed
UPDATE main.events SET compressed = 1 WHERE date = ? AND agent = ? AND compressed = 0

-- name: clear_uses
DELETE FROM main.memory_uses

-- name: drop_unindexed
DELETE FROM main.unindexed WHERE memory IN (SELECT value FROM json_each(?))

-- Documents, again -----------------------------------------------------------------------------------

-- name: documents
SELECT {document} WHERE no IN (SELECT value FROM json_each(?))

-- name: newest_documents
-- The numbers are found in an index, without reading what lies between them.
SELECT {document} WHERE no IN (SELECT t.no FROM documents t WHERE {where} ORDER BY t.no DESC LIMIT ?)
ORDER BY no DESC

-- name: namespaces
SELECT DISTINCT t.namespace FROM documents t
WHERE (t.expires_at IS NULL OR t.expires_at > ?1)
  AND (?2 = '' OR t.namespace >= ?2 AND t.namespace < ?3)

-- name: drop_document
DELETE FROM main.documents WHERE no = ?

-- The quarantine, again ------------------------------------------------------------------------------

-- name: quarantined_in
SELECT {quarantined} WHERE turn IN (SELECT value FROM json_each(?))
AND state IN ('held', 'dropped') ORDER BY turn, start

-- name: has_quarantine
SELECT 1 FROM quarantine LIMIT 1

-- name: quarantined_one
SELECT {quarantined} WHERE no = ?

-- name: quarantined_by_state
SELECT {quarantined} WHERE ?1 IN ('', state) ORDER BY no DESC

-- part: quarantine_state
state = ?

-- The workspace, again -------------------------------------------------------------------------------

-- name: files
SELECT {file} FROM source_files f ORDER BY f.root, f.path

-- name: own_files
-- The user's own files that were read: notes, and transcripts of agents.
SELECT root || '/' || path FROM source_files UNION SELECT path FROM followed ORDER BY 1

-- name: drop_places
DELETE FROM main.chunk_places WHERE file = ?

-- name: drop_source_file
DELETE FROM main.source_files WHERE no = ?

-- name: notes
-- A chunk at its place in the file where it stands first.
SELECT c.no, c.text, p.first_line, p.last_line, p.heading, p.at, p.type, p.importance, p.project,
  p.triggers, {file}
FROM chunks c JOIN chunk_places p ON (p.file, p.n) = (
  SELECT q.file, q.n FROM chunk_places q JOIN source_files g ON g.no = q.file
  WHERE q.chunk = c.no ORDER BY g.root, g.path, q.n LIMIT 1)
JOIN source_files f ON f.no = p.file WHERE c.no IN (SELECT value FROM json_each(?))

-- name: chunks_by_hash
SELECT hash, no FROM chunks WHERE hash IN (SELECT unhex(value) FROM json_each(?))

-- name: placed_chunks
SELECT DISTINCT chunk FROM chunk_places WHERE chunk IN (SELECT value FROM json_each(?))

-- name: drop_chunk
DELETE FROM main.chunks WHERE no = ?

-- name: imported
SELECT i.key, m.id FROM imports i JOIN memories m ON m.row = i.memory
WHERE i.key IN (SELECT unhex(value) FROM json_each(?))

-- Vectors, again --------------------------------------------------------------------------------------

-- name: vectors_by_hash
SELECT hash, half FROM vectors
WHERE model = (SELECT no FROM vector_models WHERE name = ?1) AND hash IN (SELECT unhex(value) FROM json_each(?2))

-- name: drop_other_models
DELETE FROM main.{table} WHERE {key} IN (SELECT no FROM vector_models WHERE name <> ?)

-- Pages: each list in the order of an index, from a key on -----------------------------------------------

-- name: page_memories
SELECT t.created_at, t.row, t.row, {memory} FROM memories t WHERE {where}
ORDER BY t.created_at DESC, t.row DESC LIMIT ?

-- name: page_few_memories
-- Few have the label: the plus keeps SQLite from looking through the list for them.
SELECT t.created_at, t.row, t.row, {memory} FROM memories t WHERE {where}
ORDER BY +t.created_at DESC, t.row DESC LIMIT ?

-- part: after_memories
(t.created_at, t.row) < (?, ?)

-- part: after_few_memories
(+t.created_at, t.row) < (?, ?)

-- name: page_due
SELECT t.due_at, t.row, t.row, {memory} FROM memories t INDEXED BY memories_by_due
WHERE t.due_at IS NOT NULL AND t.done = 0 AND t.state = 'active' AND {where}
ORDER BY t.due_at, t.row LIMIT ?

-- part: due_by
t.due_at <= ?

-- part: after_due
(t.due_at, t.row) > (?, ?)

-- name: page_turns
SELECT t.at, t.seq, {turn} WHERE {where} ORDER BY t.at DESC, t.seq DESC LIMIT ?

-- part: after_turns
(t.at, t.seq) < (?, ?)

-- name: page_sessions
SELECT s.no, s.id, (SELECT count(*) FROM turns u WHERE u.session = s.no), s.first_at, s.last_at
FROM sessions s WHERE EXISTS (SELECT 1 FROM turns u WHERE u.session = s.no) AND {where}
ORDER BY s.no DESC LIMIT ?

-- part: after_sessions
s.no < ?

-- part: session_since
s.last_at >= ?

-- part: session_until
s.first_at < ?

-- name: page_entities
SELECT e.no, {entity} FROM entities e WHERE {where} ORDER BY e.no LIMIT ?

-- part: after_entities
e.no > ?

-- name: page_segments
SELECT g.started_at, g.no, {segment} WHERE {where} ORDER BY g.started_at, g.no LIMIT ?

-- part: after_segments
(g.started_at, g.no) > (?, ?)

-- part: segments_since
g.ended_at >= ?

-- part: segments_until
g.started_at < ?

-- name: page_events
SELECT date, at, no, {event} WHERE {where} ORDER BY date, at, no LIMIT ?

-- part: after_events
(date, at, no) > (?, ?, ?)

-- part: events_since
date >= ?

-- name: page_reviews
SELECT r.asked_at, r.belief, r.belief, r.against, r.asked_at FROM reviews r
CROSS JOIN memories b ON b.row = r.belief CROSS JOIN memories a ON a.row = r.against
WHERE r.answer = '' AND b.state = 'active' AND a.state = 'active' AND {where}
ORDER BY r.asked_at, r.belief LIMIT ?

-- part: after_reviews
(r.asked_at, r.belief) > (?, ?)

-- name: page_quarantine
SELECT no, {quarantined} WHERE {where} ORDER BY no DESC LIMIT ?

-- part: after_quarantine
no < ?

-- name: page_receipts
SELECT at, id, id, at, actor, what, erased, files FROM receipts WHERE {where}
ORDER BY at DESC, id DESC LIMIT ?

-- part: after_receipts
(at, id) < (?, ?)

-- Erasure ----------------------------------------------------------------------------------------------

-- name: turn_rows
SELECT t.seq, s.id, t.id, t.key, t.speaker, t.channel, t.at, t.content
FROM turns t JOIN sessions s ON s.no = t.session WHERE t.seq > ? AND {where} ORDER BY t.seq LIMIT ?

-- part: turn_rows_of
t.seq IN (SELECT value FROM json_each(?))

-- name: memory_rows
SELECT t.row, {memory} FROM memories t WHERE t.row > ? AND {where} ORDER BY 1 LIMIT ?

-- part: memory_rows_of
t.row IN (SELECT value FROM json_each(?))

-- name: memories_of_turns
SELECT DISTINCT memory FROM memory_sources WHERE seq IN (SELECT value FROM json_each(?))

-- name: turns_of_memories
SELECT memory, seq FROM memory_sources
WHERE seq IS NOT NULL AND memory IN (SELECT value FROM json_each(?))

-- name: memories_telling
SELECT row FROM memories WHERE kind <> 'summary'
AND (instr(content, ?1) > 0 OR instr(subject, ?1) > 0 OR instr(entities, ?1) > 0)

-- name: histories
SELECT memory, version, before FROM memory_changes
WHERE before IS NOT NULL AND (memory, version) > (?, ?) ORDER BY memory, version LIMIT ?

-- name: histories_with
SELECT memory, version, before FROM memory_changes WHERE instr(before, ?) > 0

-- name: times_said
SELECT count(*) FROM turns WHERE instr(content, ?) > 0

-- name: occurs
SELECT EXISTS (SELECT 1 FROM memories WHERE instr(content, ?1) > 0)
  OR EXISTS (SELECT 1 FROM turns WHERE instr(content, ?1) > 0)

-- name: memories_naming
SELECT row, subject, entities FROM memories
WHERE subject = ?1 OR EXISTS (SELECT 1 FROM json_each(entities) j WHERE j.value = ?1)

-- name: rename_in_memory
UPDATE main.memories SET subject = ?, entities = ? WHERE row = ?

-- name: sessions_and_channels
SELECT name, min(at) FROM (
  SELECT id AS name, first_at AS at FROM sessions
  UNION ALL SELECT channel, at FROM turns UNION ALL SELECT channel, at FROM events) t
WHERE name <> '' GROUP BY name

-- name: session_number
SELECT no FROM sessions WHERE id = ?

-- name: move_turns
UPDATE main.turns SET session = ?2 WHERE session = (SELECT no FROM sessions WHERE id = ?1)

-- name: move_segments
UPDATE main.segments SET session = ?2 WHERE session = (SELECT no FROM sessions WHERE id = ?1)

-- name: join_sessions
UPDATE main.sessions SET turns = sessions.turns + o.turns,
  first_at = min(sessions.first_at, o.first_at), last_at = max(sessions.last_at, o.last_at)
FROM sessions o WHERE o.id = ?1 AND sessions.no = ?2

-- name: drop_session
DELETE FROM main.sessions WHERE id = ?

-- name: rename_session
UPDATE main.sessions SET id = ? WHERE id = ?

-- name: rename_session_of_events
UPDATE main.events SET session = ? WHERE session = ?

-- name: rename_session_of_sources
UPDATE main.memory_sources SET session = ? WHERE session = ?

-- name: rename_channel_of_turns
UPDATE main.turns SET channel = ? WHERE channel = ?

-- name: rename_channel_of_events
UPDATE main.events SET channel = ? WHERE channel = ?

-- name: drop_all_labels
DELETE FROM main.memory_labels WHERE memory = ?

-- name: set_turn
UPDATE main.turns SET content = ?, key = ? WHERE seq = ?

-- name: quarantine_of_turns
SELECT q.no, q.turn, q.start, substr(t.content, q.start + 1, q.stop - q.start)
FROM quarantine q JOIN turns t ON t.seq = q.turn WHERE q.turn IN (SELECT value FROM json_each(?))

-- name: drop_quarantine
DELETE FROM main.quarantine WHERE no = ?

-- name: move_quarantine
UPDATE main.quarantine SET start = ?, stop = ? WHERE no = ?

-- name: drop_rows_of
-- What belongs to turns or memories that go.
DELETE FROM main.{table} WHERE {key} IN (SELECT value FROM json_each(?))

-- name: sessions_of
SELECT DISTINCT session FROM turns WHERE seq IN (SELECT value FROM json_each(?))

-- name: drop_empty_session
DELETE FROM main.sessions WHERE no = ?1 AND NOT EXISTS (SELECT 1 FROM turns WHERE session = ?1)
AND NOT EXISTS (SELECT 1 FROM segments WHERE session = ?1)

-- name: fragments_of
SELECT turn, n, text FROM fragments WHERE turn IN (SELECT value FROM json_each(?))

-- name: candidates_of
SELECT no FROM candidates WHERE turn IN (SELECT value FROM json_each(?))

-- name: segments_with
SELECT DISTINCT g.no, s.id, g.first_turn, g.last_turn FROM turns t
JOIN segments g ON g.session = t.session AND g.first_turn <= t.seq AND g.last_turn >= t.seq
JOIN sessions s ON s.no = g.session WHERE t.seq IN (SELECT value FROM json_each(?))

-- name: memory_ids
SELECT id FROM memories WHERE row IN (SELECT value FROM json_each(?))

-- name: import_keys
SELECT key FROM imports WHERE memory IN (SELECT value FROM json_each(?))

-- name: drop_quarantine_of
DELETE FROM main.quarantine WHERE memory IN (SELECT CAST(value AS TEXT) FROM json_each(?))

-- name: unlink_replaced
UPDATE main.memories SET replaces = ''
WHERE replaces IN (SELECT CAST(value AS TEXT) FROM json_each(?))

-- name: summaries_of
SELECT row FROM memories WHERE kind = 'summary' AND derived_from <> '[]' AND EXISTS (
  SELECT 1 FROM json_each(derived_from) d
  WHERE d.value IN (SELECT CAST(value AS TEXT) FROM json_each(?)))

-- name: memories_derived_from
SELECT row, derived_from FROM memories WHERE derived_from <> '[]' AND EXISTS (
  SELECT 1 FROM json_each(derived_from) d
  WHERE d.value IN (SELECT CAST(value AS TEXT) FROM json_each(?)))

-- name: set_derived_from
UPDATE main.memories SET derived_from = ? WHERE row = ?

-- name: set_history
UPDATE main.memory_changes SET before = ? WHERE memory = ? AND version = ?

-- name: drop_events (past)
-- Whoever sees a part of a day has what is told of it made anew: it tells of that part too.
DELETE FROM main.events WHERE session = ?
AND date IN (SELECT CAST(value AS TEXT) FROM json_each(?)) RETURNING date, compressed

-- name: drop_event
DELETE FROM main.events WHERE no = ?

-- name: documents_by_key
SELECT no FROM documents WHERE key = ?

-- name: drop_pages
-- Why the views could not be written is no content, and asked for by its name.
DELETE FROM main.pages WHERE name <> 'views' RETURNING 1

-- name: clear_table
DELETE FROM main.{table}

-- name: clear_job_errors
UPDATE main.jobs SET error = ''

-- name: tombstones
SELECT kind, mark, until, size FROM tombstones

-- name: put_tombstone
INSERT INTO main.tombstones (kind, mark, until, size) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (kind, mark) DO UPDATE SET until = max(tombstones.until, ?3)

-- name: put_receipt
INSERT INTO main.receipts (id, at, actor, what, erased, files) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT (id) DO UPDATE SET at = ?2, actor = ?3, what = ?4, erased = ?5, files = ?6

-- name: text_events_summary
SELECT no, summary, at FROM events

-- name: text_events_sender
SELECT no, sender, at FROM events WHERE sender <> ''

-- name: text_documents_value
SELECT no, value, updated_at FROM documents

-- name: text_documents_text
SELECT no, text, updated_at FROM documents

-- name: text_quarantine_text
SELECT no, text, at FROM quarantine WHERE text <> ''

-- name: text_jobs_error
SELECT name, error, coalesce(failed_at, last_at) FROM jobs WHERE error <> ''

-- name: text_vector_models_error
SELECT no, error, 0 FROM vector_models WHERE error <> ''

-- name: text_vector_todo_error
SELECT model, kind, row, error, 0 FROM vector_todo WHERE error <> ''

-- name: text_fragments_reason
SELECT turn, n, reason, 0 FROM fragments WHERE reason <> ''

-- name: set_events_summary
UPDATE main.events SET summary = ? WHERE no = ?

-- name: set_events_sender
UPDATE main.events SET sender = ? WHERE no = ?

-- name: set_documents_value
UPDATE main.documents SET value = ? WHERE no = ?

-- name: set_documents_text
UPDATE main.documents SET text = ? WHERE no = ?

-- name: set_quarantine_text
UPDATE main.quarantine SET text = ? WHERE no = ?

-- name: set_jobs_error
UPDATE main.jobs SET error = ? WHERE name = ?

-- name: set_vector_models_error
UPDATE main.vector_models SET error = ? WHERE no = ?

-- name: set_vector_todo_error
UPDATE main.vector_todo SET error = ? WHERE model = ? AND kind = ? AND row = ?

-- name: set_fragments_reason
UPDATE main.fragments SET reason = ? WHERE turn = ? AND n = ?

-- All that is not derived --------------------------------------------------------------------------------

-- part: day
-- The number of the day on which it was where a turn was said. SQL divides towards zero, so days begin
-- with the first there is: 719,162 before 1970.
((t.at + t.utc_offset * 60000 + 62135596800000) / 86400000)

-- name: days
SELECT {day} AS day, count(*), sum(octet_length(t.content)), min(t.seq), max(t.seq) FROM turns t
GROUP BY day ORDER BY day

-- name: sizes_of_day
SELECT t.seq, octet_length(t.content) FROM turns t WHERE t.at BETWEEN ? AND ? AND {day} = ?
ORDER BY t.seq

-- name: turns_of_day
SELECT t.seq, (SELECT s.id FROM sessions s WHERE s.no = t.session), t.id, t.key, t.role, t.speaker,
  t.channel, t.chat, t.origin, t.at, t.utc_offset, t.content, t.agent
FROM turns t WHERE t.at BETWEEN ? AND ? AND {day} = ? AND t.seq BETWEEN ? AND ? ORDER BY t.at, t.seq

-- A number is never given out twice, and every change of a memory adds to its version.
-- name: basis_turns
SELECT count(*), max(seq) FROM turns

-- name: basis_segments
SELECT count(*), max(no) FROM segments

-- name: basis_events
SELECT count(*), max(no), sum(compressed), sum(length(summary)) FROM events

-- name: basis_entities
SELECT count(*), max(no), max(updated_at), sum(length(name || aliases)) FROM entities

-- name: basis_imports
SELECT count(*), max(at) FROM imports

-- name: basis_unindexed
SELECT count(*), max(memory) FROM unindexed

-- name: basis_documents
SELECT count(*), max(no), sum(expires_at) FROM documents

-- name: basis_memories
SELECT kind, state, count(*), sum(version), max(row), max(updated_at) FROM memories
GROUP BY kind, state

-- name: labels
SELECT l.name, m.id FROM memory_labels l CROSS JOIN memories m ON m.row = l.memory
WHERE l.label = ? AND m.state = 'active' ORDER BY l.name, l.memory

-- name: keep_counter
-- A number that something has is not given out again, whatever the counters say.
INSERT INTO main.counters (name, last) SELECT ?, max({key}) FROM {table} HAVING count(*) > 0
ON CONFLICT (name) DO UPDATE SET last = max(counters.last, excluded.last)

-- name: keep_id_counters
-- The number in an id is of its kind and day: f_20260204_001.
INSERT INTO main.counters (name, last)
SELECT substr(id, 1, 10), max(CAST(substr(id, 12) AS INTEGER)) FROM memories GROUP BY 1 HAVING true
ON CONFLICT (name) DO UPDATE SET last = max(counters.last, excluded.last)

-- name: set_counter
INSERT INTO main.counters (name, last) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET last = ?2

-- name: labels_between
SELECT memory, label, name FROM memory_labels WHERE memory BETWEEN ? AND ? AND label <> 'keyword'

-- name: broken_histories
SELECT id FROM memories m WHERE (version, version) <> (
  SELECT coalesce(max(version), 0), count(*) FROM memory_changes c WHERE c.memory = m.row
  AND (c.version = 1) = (c.before IS NULL) AND json_valid(coalesce(c.before, '{}'))) LIMIT ?
