-- Written by tools/sql.py from ../queries.sql, which says what is what.

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

-- name: take_numbers
INSERT INTO loxodon.counters (name, last) VALUES ($1, $2)
ON CONFLICT (space_id, name) DO UPDATE SET last = counters.last + $2
RETURNING last

-- name: counter
SELECT last FROM counters WHERE name = $1

-- name: index_counters
SELECT name, last FROM counters
WHERE name BETWEEN 'rows_' AND 'rows_~' OR name BETWEEN 'changed_' AND 'changed_~'

-- name: get_meta
SELECT value FROM meta WHERE name = $1

-- name: set_meta
INSERT INTO loxodon.meta (name, value) VALUES ($1, $2) ON CONFLICT (space_id, name) DO UPDATE SET value = $2

-- name: put_audit (past)
INSERT INTO loxodon.audit (n, entry, mac) VALUES ($1, $2, $3)

-- name: last_audit (past)
SELECT n, entry, mac FROM loxodon.audit ORDER BY n DESC LIMIT 1

-- name: audit_after (past)
SELECT n, entry, mac FROM loxodon.audit WHERE n > $1 ORDER BY n LIMIT nullif($2, -1)

-- name: audit_before (past)
SELECT n, entry, mac FROM loxodon.audit WHERE n < $1 ORDER BY n DESC LIMIT nullif($2, -1)

-- name: prune_audit (past)
DELETE FROM loxodon.audit WHERE n < $1

-- name: session_size (past)
SELECT coalesce((SELECT turns FROM loxodon.sessions WHERE id = $1), 0)

-- name: session (past)
SELECT no, turns, first_at, last_at FROM loxodon.sessions WHERE id = $1

-- name: put_session (past)
INSERT INTO loxodon.sessions (no, id, turns, first_at, last_at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (space_id, no) DO UPDATE SET turns = $3, first_at = $4, last_at = $5

-- name: put_turn
INSERT INTO loxodon.turns
  (seq, session, id, key, role, speaker, channel, chat, origin, at, utc_offset, content, agent)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)

-- name: last_texts
SELECT t.content FROM sessions s JOIN turns t ON t.session = s.no WHERE s.id = $1
ORDER BY t.seq DESC LIMIT nullif($2, -1)

-- name: turn_row
SELECT t.seq FROM sessions s JOIN turns t ON t.session = s.no WHERE s.id = $1 AND t.id = $2
ORDER BY t.seq DESC LIMIT 1

-- name: memory_rows_by_id
SELECT row FROM memories WHERE id = ANY(ARRAY(SELECT value FROM json_each($1)))

-- name: memory_row
SELECT row FROM memories WHERE id = $1

-- name: agents
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
INSERT INTO loxodon.memory_labels (label, name, memory) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING

-- name: drop_labels
DELETE FROM loxodon.memory_labels WHERE memory = $1 AND label <> 'keyword'

-- name: put_source
INSERT INTO loxodon.memory_sources (memory, n, session, turn, seq, file, line)
VALUES ($1, $2, $3, $4, (SELECT t.seq FROM sessions s JOIN turns t ON t.session = s.no
  WHERE s.id = $3 AND t.id = $4 ORDER BY t.seq DESC LIMIT 1), $5, $6)

-- name: drop_sources (past)
DELETE FROM loxodon.memory_sources WHERE memory = $1

-- name: put_change
INSERT INTO loxodon.memory_changes (memory, version, at, change, before) VALUES ($1, $2, $3, $4, $5)

-- name: changes
SELECT version, at, change, before FROM memory_changes WHERE memory = $1 ORDER BY version

-- name: count_journal
SELECT (SELECT count(*) FROM turns), (SELECT count(*) FROM sessions)

-- name: turns_held (past)
SELECT count(*) FROM loxodon.turns

-- name: count_memories
SELECT kind, state,
       CASE WHEN importance >= 0.9 THEN 'critical' WHEN importance >= 0.7 THEN 'high'
            WHEN importance >= 0.4 THEN 'medium' ELSE 'low' END AS band,
       count(*)
FROM memories GROUP BY kind, state, band

-- name: common_words
SELECT name, word, share FROM common_words

-- name: drop_common_words
DELETE FROM loxodon.common_words WHERE name = $1

-- name: put_common_word
INSERT INTO loxodon.common_words (name, word, share) VALUES ($1, $2, $3)

-- name: count_pending
SELECT (SELECT count(*) FROM turns WHERE seq > $1 AND channel <> 'capture')
  + (SELECT count(*) FROM fragments WHERE stage = 'again')

-- name: put_segment
INSERT INTO loxodon.segments (no, session, first_turn, last_turn, started_at, ended_at, utc_offset, topic, tags, text)
VALUES ($1, (SELECT no FROM sessions WHERE id = $2), $3, $4, $5, $6, $7, $8, $9, $10)

-- name: fail_turn
INSERT INTO loxodon.fragments (turn, n, text, type, stage, keep, about, bonus, reason)
VALUES ($1, 0, $2, 'statement', 'failed', NULL, 'fact', 0.0, $3)
ON CONFLICT (space_id, turn, n) DO UPDATE SET text = $2, stage = 'failed', keep = NULL, reason = $3

-- name: read_again
INSERT INTO loxodon.fragments (turn, n, text, type, stage, keep, about, bonus, reason)
VALUES ($1, 0, '', 'statement', 'again', NULL, 'fact', 0.0, '')
ON CONFLICT (space_id, turn, n) DO UPDATE SET text = '', type = 'statement', stage = 'again', keep = NULL,
  about = 'fact', bonus = 0.0, reason = ''

-- name: cut_fragment
INSERT INTO loxodon.fragments (turn, n, text, type, stage, keep, about, bonus, reason)
VALUES ($1, $2, $3, $4, 'cut', NULL, 'fact', 0, '')
ON CONFLICT (space_id, turn, n) DO UPDATE
SET text = $3, type = $4, stage = 'cut', keep = NULL, about = 'fact', bonus = 0, reason = ''

-- name: wait
UPDATE loxodon.fragments SET stage = 'waiting', bonus = $1 WHERE turn = $2 AND n = $3

-- name: put_off
UPDATE loxodon.fragments SET keep = coalesce(keep, 0) + 1 WHERE turn = $1 AND n = $2 AND stage = 'waiting'

-- name: drop_waiting
DELETE FROM loxodon.fragments WHERE turn = $1 AND n = $2 AND stage = 'waiting'

-- name: put_event
INSERT INTO loxodon.events (date, at, session, channel, sender, summary, tokens, trust, compressed, agent)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)

-- name: put_entity
INSERT INTO loxodon.entities (no, name, type, aliases, created_at, updated_at, agent)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (space_id, no) DO UPDATE SET name = $2, type = $3, aliases = $4, updated_at = $6

-- name: put_entity_name
INSERT INTO loxodon.entity_names (agent, name, entity) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING

-- name: put_review
INSERT INTO loxodon.reviews (belief, against, asked_at, answer)
SELECT b.row, a.row, $3, '' FROM memories b, memories a WHERE b.id = $1 AND a.id = $2
ON CONFLICT (space_id, belief) DO UPDATE SET against = excluded.against, asked_at = excluded.asked_at,
  answer = '', answered_at = NULL WHERE reviews.answer <> ''

-- name: answer_review
UPDATE loxodon.reviews SET answer = $2, answered_at = $3
WHERE answer = '' AND belief = (SELECT row FROM memories WHERE id = $1)

-- name: ended
SELECT id FROM memories WHERE state = 'active' AND ends_at <= $1 ORDER BY ends_at LIMIT nullif($2, -1)

-- name: put_use
INSERT INTO loxodon.memory_uses (memory, day, times, last_at) VALUES ($1, $2, 1, $3)
ON CONFLICT (space_id, memory, day) DO UPDATE SET times = memory_uses.times + 1, last_at = max(memory_uses.last_at, $3)

-- name: used
SELECT m.id, count(*), sum(u.times), max(u.last_at)
FROM memory_uses u JOIN memories m ON m.row = u.memory
GROUP BY u.memory, m.id ORDER BY u.memory

-- name: unindexed
SELECT memory FROM unindexed ORDER BY memory LIMIT nullif($1, -1)

-- name: last_changed
SELECT memory FROM (SELECT memory FROM unindexed ORDER BY memory DESC LIMIT nullif($1, -1)) u ORDER BY memory

-- name: put_unindexed
INSERT INTO loxodon.unindexed (memory) VALUES ($1) ON CONFLICT DO NOTHING

-- name: drop_keywords
DELETE FROM loxodon.memory_labels WHERE memory = $1 AND label = 'keyword'

-- name: changes_since
SELECT id, change, at FROM (
  SELECT m.id, c.change, c.at, c.memory, c.version
  FROM memory_changes c JOIN memories m ON m.row = c.memory
  WHERE c.at >= $1 ORDER BY c.at DESC, c.memory DESC, c.version DESC LIMIT 2000) l
ORDER BY at, memory, version

-- name: partitions
SELECT project, topic, count(*) FROM memories WHERE state = 'active' AND kind = 'fact'
GROUP BY project, topic HAVING count(*) >= $1 ORDER BY project, topic

-- name: of_category
SELECT row FROM memories WHERE state = 'active' AND category = $1 ORDER BY row

-- name: page
SELECT text, basis, made_at FROM pages WHERE name = $1 AND language = $2

-- name: put_page
INSERT INTO loxodon.pages (name, language, made_at, text, basis) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (space_id, name, language) DO UPDATE SET made_at = $3, text = $4, basis = $5

-- name: spend
INSERT INTO loxodon.model_use (day, phase, calls, tokens_in, tokens_out) VALUES ($1, $2, 1, $3, $4)
ON CONFLICT (space_id, day, phase) DO UPDATE
SET calls = model_use.calls + 1, tokens_in = model_use.tokens_in + $3,
  tokens_out = model_use.tokens_out + $4

-- name: spent
SELECT coalesce(sum(tokens_in + tokens_out), 0) FROM model_use
WHERE day = $1 AND phase <> 'trial'

-- name: ledger
SELECT day, phase, calls, tokens_in, tokens_out FROM model_use
WHERE day IN (SELECT DISTINCT day FROM model_use ORDER BY day DESC LIMIT nullif($1, -1))
ORDER BY day DESC, phase

-- name: altered
WITH since AS (
  SELECT c.memory, min(c.version) AS first, max(c.version) AS last, max(c.at) AS at
  FROM memory_changes c
  WHERE c.at >= $1 AND instr($2, '"' || c.change || '"') = 0
    AND EXISTS (SELECT 1 FROM memories m WHERE m.row = c.memory AND m.kind <> 'summary')
  GROUP BY c.memory ORDER BY 4 DESC, c.memory DESC LIMIT nullif($3, -1)
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
WHERE (t.state = 'active' OR (t.value <> '' AND t.valid_until IS NOT NULL)) AND t.kind <> 'summary'

-- name: label_uses
SELECT l.name, count(*), max(l.memory) FROM memory_labels l JOIN memories m ON m.row = l.memory
WHERE l.label = $1 AND m.state = 'active' GROUP BY l.name ORDER BY 2 DESC, l.name LIMIT nullif($2, -1)

-- name: made_from
SELECT row FROM memories WHERE replaces = $1 AND replaces <> ''
UNION
SELECT row FROM memories WHERE derived_from <> '[]' AND instr(derived_from, '"' || $1 || '"') > 0
ORDER BY row

-- name: memory_strength
SELECT row, strength, strength_at, kind, importance, state, agent, audience FROM memories
WHERE id = $1

-- name: vector_model
SELECT no, size, turns_to, memories_to, chunks_to, sampled, error, frame, spread
FROM vector_models WHERE name = $1

-- name: vector_size
SELECT size FROM vector_models WHERE name = $1

-- name: vector_models
SELECT no, name FROM vector_models ORDER BY no

-- name: put_vector_model
INSERT INTO loxodon.vector_models (name, size, turns_to, memories_to, sampled, frame, spread, error)
VALUES ($1, 0, 0, 0, 0, $2, 1, '') ON CONFLICT DO NOTHING

-- name: set_vector_frame
UPDATE loxodon.vector_models SET sampled = $1, frame = $2, spread = $3 WHERE no = $4

-- name: set_vector_size
UPDATE loxodon.vector_models SET size = $1 WHERE no = $2 AND size = 0

-- name: set_vector_error
UPDATE loxodon.vector_models SET error = $1 WHERE name = $2 AND error <> $1

-- name: count_vectors
SELECT count(*) FROM vectors WHERE model = $1

-- name: next_memories
SELECT t.row FROM vector_models m JOIN memories t ON t.row > m.memories_to
WHERE m.name = $1 AND NOT EXISTS (
  SELECT 1 FROM vectors v WHERE v.row = t.row AND v.pool IN ('memories', 'archive') AND v.model = m.no)
ORDER BY t.row LIMIT nullif($2, -1)

-- name: next_turns
SELECT t.seq FROM vector_models m JOIN turns t ON t.seq > m.turns_to
WHERE m.name = $1 AND NOT EXISTS (
  SELECT 1 FROM vectors v WHERE v.row = t.seq AND v.pool = 'turns' AND v.model = m.no)
ORDER BY t.seq LIMIT nullif($2, -1)

-- name: next_chunks
SELECT t.no FROM vector_models m JOIN chunks t ON t.no > m.chunks_to
WHERE m.name = $1 AND NOT EXISTS (
  SELECT 1 FROM vectors v WHERE v.row = t.no AND v.pool = 'chunks' AND v.model = m.no)
ORDER BY t.no LIMIT nullif($2, -1)

-- name: advance_memories
UPDATE loxodon.vector_models SET memories_to = max(memories_to, $1) WHERE name = $2

-- name: advance_turns
UPDATE loxodon.vector_models SET turns_to = max(turns_to, $1) WHERE name = $2

-- name: advance_chunks
UPDATE loxodon.vector_models SET chunks_to = max(chunks_to, $1) WHERE name = $2

-- name: vectors_behind
SELECT (SELECT count(*) FROM memories WHERE row > $2) + (SELECT count(*) FROM turns WHERE seq > $3)
  + (SELECT count(*) FROM chunks WHERE no > $4)
  - (SELECT count(*) FROM vectors WHERE row > $4 AND pool = 'chunks' AND model = $1)
  - (SELECT count(*) FROM vector_todo WHERE model = $1 AND kind = 'chunks' AND row > $4)
  - (SELECT count(*) FROM vectors WHERE row > $2 AND pool IN ('memories', 'archive') AND model = $1)
  - (SELECT count(*) FROM vectors WHERE row > $3 AND pool = 'turns' AND model = $1)
  - (SELECT count(*) FROM vector_todo WHERE model = $1 AND kind = 'memories' AND row > $2)
  - (SELECT count(*) FROM vector_todo WHERE model = $1 AND kind = 'turns' AND row > $3)

-- name: queue_turn
INSERT INTO loxodon.vector_todo (model, kind, row, tries, error)
SELECT no, 'turns', $1, 0, '' FROM vector_models WHERE turns_to >= $1
ON CONFLICT DO NOTHING

-- name: queue_memory
INSERT INTO loxodon.vector_todo (model, kind, row, tries, error)
SELECT no, 'memories', $1, 0, '' FROM vector_models WHERE memories_to >= $1
ON CONFLICT (space_id, model, kind, row) DO UPDATE SET tries = 0, error = ''

-- name: fail_vector
INSERT INTO loxodon.vector_todo (model, kind, row, tries, error)
VALUES ((SELECT no FROM vector_models WHERE name = $1), $2, $3, 1, $4)
ON CONFLICT (space_id, model, kind, row) DO UPDATE SET tries = vector_todo.tries + 1, error = excluded.error

-- name: vector_todo
SELECT kind, row FROM vector_todo WHERE model = (SELECT no FROM vector_models WHERE name = $1) AND tries < $2 ORDER BY kind, row

-- name: settle_vector
DELETE FROM loxodon.vector_todo WHERE model = (SELECT no FROM vector_models WHERE name = $1) AND kind = $2 AND row = $3

-- name: count_vector_todo
SELECT count(*), count(*) FILTER (WHERE tries > 0), coalesce(max(error), '')
FROM vector_todo WHERE model = $1

-- name: drop_vector_todo
DELETE FROM loxodon.vector_todo WHERE kind = $1 AND row = ANY(translate($2, '[]', '{}')::bigint[])

-- name: put_vector
INSERT INTO loxodon.vectors (model, pool, row, hash, half) VALUES ($1, $2, $3, $4, $5)

-- name: move_vector
UPDATE loxodon.vectors SET pool = $1 WHERE row = $2 AND pool IN ('memories', 'archive')

-- name: drop_vectors
DELETE FROM loxodon.vectors WHERE pool IN ($1, $2) AND row = ANY(translate($3, '[]', '{}')::bigint[])

-- name: drop_model_vectors
DELETE FROM loxodon.vectors
WHERE model = $1 AND pool IN ($2, $3) AND row = ANY(translate($4, '[]', '{}')::bigint[])

-- name: vectors_of_rows
SELECT row, half FROM vectors
WHERE model = $1 AND pool = $2 AND row = ANY(translate($3, '[]', '{}')::bigint[])

-- name: vectors_of_block
SELECT row, half FROM vectors
WHERE model = $1 AND pool = $2 AND row >= $3 AND row < $4 ORDER BY row

-- name: sampled_vectors
SELECT substr(coalesce(t.content, ''), 1, 200),
  substr(coalesce(t.content, ''), length(coalesce(t.content, '')) - 9), v.half
FROM vectors v LEFT JOIN turns t ON v.pool = 'turns' AND t.seq = v.row
WHERE v.model = $1 AND v.row % $2 = 0
ORDER BY v.hash, v.pool, v.row

-- name: count_astray_vectors
SELECT count(*) FROM vectors WHERE
  pool = 'turns' AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.seq = vectors.row)
  OR pool = 'memories' AND NOT EXISTS (
    SELECT 1 FROM memories m WHERE m.row = vectors.row AND m.state = 'active')
  OR pool = 'archive' AND NOT EXISTS (
    SELECT 1 FROM memories m WHERE m.row = vectors.row AND m.state = 'archived')
  OR pool = 'chunks' AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.no = vectors.row)

-- name: drop_astray_vectors
DELETE FROM loxodon.vectors WHERE
  pool = 'turns' AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.seq = vectors.row)
  OR pool = 'memories' AND NOT EXISTS (
    SELECT 1 FROM memories m WHERE m.row = vectors.row AND m.state = 'active')
  OR pool = 'archive' AND NOT EXISTS (
    SELECT 1 FROM memories m WHERE m.row = vectors.row AND m.state = 'archived')
  OR pool = 'chunks' AND NOT EXISTS (SELECT 1 FROM chunks c WHERE c.no = vectors.row)

-- name: sign_versions
SELECT block, version FROM vector_signs WHERE model = $1 AND pool = $2

-- name: signs
SELECT block, rows, bits FROM vector_signs
WHERE model = $1 AND pool = $2 AND block = ANY(translate($3, '[]', '{}')::bigint[])

-- name: empty_signs
INSERT INTO loxodon.vector_signs (model, pool, block, version)
SELECT DISTINCT v.model, v.pool, v.row / 1024, CAST($1 AS bigint) FROM vectors v
WHERE v.pool IN ($2, $3) AND v.row = ANY(translate($4, '[]', '{}')::bigint[])
ON CONFLICT (space_id, model, pool, block) DO UPDATE
SET version = excluded.version, rows = excluded.rows, bits = excluded.bits

-- name: empty_all_signs
INSERT INTO loxodon.vector_signs (model, pool, block, version)
SELECT DISTINCT v.model, v.pool, v.row / 1024, CAST($2 AS bigint) FROM vectors v WHERE v.model = $1

-- name: drop_all_signs
DELETE FROM loxodon.vector_signs WHERE model = $1

-- name: emptied_signs
SELECT pool, block FROM vector_signs WHERE model = $1 AND length(bits) = 0

-- name: put_signs
UPDATE loxodon.vector_signs SET rows = $4, bits = $5 WHERE model = $1 AND pool = $2 AND block = $3

-- name: drop_signs
DELETE FROM loxodon.vector_signs WHERE model = $1 AND pool = $2 AND block = $3

-- name: count_unsigned_vectors
SELECT count(*) FROM vectors v WHERE NOT EXISTS (
  SELECT 1 FROM vector_signs s
  WHERE s.model = v.model AND s.pool = v.pool AND s.block = v.row / 1024)

-- name: source_file
SELECT no FROM source_files WHERE root = $1 AND path = $2

-- name: put_source_file
INSERT INTO loxodon.source_files (no, root, path, role, size, mtime, hash, read_at, problem)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (space_id, no) DO UPDATE
SET role = $4, size = $5, mtime = $6, hash = $7, read_at = $8, problem = $9

-- name: chunk_counts
SELECT f.root, f.path, count(*) FROM chunk_places p JOIN source_files f ON f.no = p.file
GROUP BY f.no, f.root, f.path

-- name: put_chunk
INSERT INTO loxodon.chunks (no, hash, text) VALUES ($1, $2, $3)

-- name: put_place
INSERT INTO loxodon.chunk_places (file, n, chunk, first_line, last_line, heading, at, type, importance, project, triggers)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)

-- name: places_of
SELECT chunk FROM chunk_places WHERE file = $1

-- name: dated_chunks
SELECT chunk FROM chunk_places WHERE at >= $1 AND at < $2 GROUP BY chunk
ORDER BY max(at) DESC, chunk DESC LIMIT nullif($3, -1)

-- name: mark
SELECT mark FROM followed WHERE path = $1 AND session = $2

-- name: marks
SELECT session, mark FROM followed WHERE path = $1 ORDER BY session

-- name: set_mark
INSERT INTO loxodon.followed (path, session, mark, read_at) VALUES ($1, $2, $3, $4)
ON CONFLICT (space_id, path, session) DO UPDATE SET mark = $3, read_at = $4

-- name: put_import
INSERT INTO loxodon.imports (key, memory, at) SELECT $1, row, $3 FROM memories WHERE id = $2
ON CONFLICT DO NOTHING

-- name: jobs
SELECT name, last_at, seconds, counts, succeeded_at, failed_at, error, failures, runs FROM jobs

-- name: put_job
INSERT INTO loxodon.jobs
  (name, last_at, seconds, counts, succeeded_at, failed_at, error, failures, runs)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (space_id, name) DO UPDATE SET last_at = $2, seconds = $3, counts = $4, succeeded_at = $5,
  failed_at = $6, error = $7, failures = $8, runs = $9

-- name: past_due
SELECT row FROM memories WHERE due_at IS NOT NULL AND done = 0 AND state = 'active' AND due_at <= $1
ORDER BY due_at, row LIMIT nullif($2, -1)

-- name: supposed
SELECT row FROM memories
WHERE kind = 'belief' AND state = 'active' AND category = $1 AND updated_at < $2
ORDER BY updated_at, row LIMIT nullif($3, -1)

-- name: mattering
SELECT row FROM memories m
WHERE kind = 'fact' AND state = 'active' AND importance >= 0.7
  AND EXISTS (SELECT 1 FROM json_each($1) c WHERE c.value = category)
  AND max(coalesce(confirmed_at, 0), created_at) < $2
  AND NOT EXISTS (SELECT 1 FROM reviews r WHERE r.belief = m.row AND r.asked_at >= $2)
ORDER BY importance DESC, row LIMIT nullif($3, -1)

-- name: put_document
INSERT INTO loxodon.documents (no, namespace, key, value, text, created_at, updated_at, minutes, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)

-- name: document_named
SELECT no, namespace, key, value, created_at, updated_at, minutes, expires_at FROM documents WHERE namespace = $1 AND key = $2

-- name: document_ended
SELECT no FROM documents WHERE expires_at <= $1 ORDER BY expires_at LIMIT nullif($2, -1)

-- name: working_session
SELECT entry FROM working_sessions WHERE owner = $1 AND key = $2

-- name: working_sessions
SELECT owner, key, entry FROM working_sessions ORDER BY owner, key

-- name: put_working_session
INSERT INTO loxodon.working_sessions (owner, key, entry) VALUES ($1, $2, $3)
ON CONFLICT (space_id, owner, key) DO UPDATE SET entry = $3

-- name: drop_working_session
DELETE FROM loxodon.working_sessions WHERE owner = $1 AND key = $2

-- name: transcripts
SELECT session, min(owner) FROM transcript_lines GROUP BY session ORDER BY session

-- name: transcript_lines
SELECT n, line FROM transcript_lines WHERE session = $1 AND n > $2 ORDER BY n

-- name: put_transcript_line
INSERT INTO loxodon.transcript_lines (session, n, owner, line) VALUES ($1, $2, $3, $4)

-- name: set_transcript_line
UPDATE loxodon.transcript_lines SET line = $1 WHERE session = $2 AND n = $3

-- name: put_quarantine
INSERT INTO loxodon.quarantine
  (no, turn, memory, start, stop, text, reason, origin, at, state, decided_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)

-- name: quarantine_of_memory (past)
UPDATE loxodon.quarantine SET memory = $1 WHERE no = $2

-- name: decide_quarantine
UPDATE loxodon.quarantine SET state = $1, decided_at = $2, text = $3 WHERE no = $4

-- part: turn_text
speaker || '
' || content

-- part: memory_text
content || '
' || tags || entities

-- part: segment_text
topic || '
' || tags || '
' || text

-- part: chunk_text
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
(SELECT seq AS row, speaker || '
' || content AS text FROM turns)

-- part: rows_of_memories
(SELECT row, content || '
' || tags || entities AS text FROM memories)

-- part: rows_of_archive
(SELECT row, content || '
' || tags || entities AS text FROM memories)

-- part: rows_of_segments
(SELECT no AS row, topic || '
' || tags || '
' || text AS text FROM segments)

-- part: rows_of_chunks
(SELECT no AS row, text || coalesce((SELECT '
' || string_agg(p.heading || '
' || p.project || '
' || CASE WHEN f.role IN ('daily', 'note')
    THEN replace(replace(f.path, rtrim(f.path, replace(f.path, '/', '')), ''), '.md', '')
    ELSE '' END || '
' || (SELECT coalesce(string_agg(j.value, '
'), '') FROM json_each(p.triggers) j), '
')
  FROM (SELECT * FROM chunk_places WHERE chunk = chunks.no ORDER BY file, n LIMIT 20) p
  JOIN source_files f ON f.no = p.file), '') AS text FROM chunks)

-- part: rows_of_documents
(SELECT no AS row, text FROM documents)

-- part: all_of_turns
(SELECT seq AS row, speaker || '
' || content AS text FROM loxodon.turns)

-- part: all_of_memories
(SELECT row, content || '
' || tags || entities AS text FROM loxodon.memories WHERE state = 'active')

-- part: all_of_archive
(SELECT row, content || '
' || tags || entities AS text FROM loxodon.memories WHERE state = 'archived')

-- part: all_of_segments
(SELECT no AS row, topic || '
' || tags || '
' || text AS text FROM loxodon.segments)

-- part: all_of_chunks
(SELECT no AS row, text || coalesce((SELECT '
' || string_agg(p.heading || '
' || p.project || '
' || CASE WHEN f.role IN ('daily', 'note')
    THEN replace(replace(f.path, rtrim(f.path, replace(f.path, '/', '')), ''), '.md', '')
    ELSE '' END || '
' || (SELECT coalesce(string_agg(j.value, '
'), '') FROM json_each(p.triggers) j), '
')
  FROM (SELECT * FROM chunk_places WHERE chunk = chunks.no ORDER BY file, n LIMIT 20) p
  JOIN source_files f ON f.no = p.file), '') AS text FROM loxodon.chunks AS chunks)

-- part: all_of_documents
(SELECT no AS row, text FROM loxodon.documents)

-- name: texts
SELECT row, text FROM {rows} t WHERE row = ANY(translate(?, '[]', '{}')::bigint[])

-- name: texts_begun
SELECT row, substr(text, 1, 1000) FROM {rows} t WHERE row = ANY(translate(?, '[]', '{}')::bigint[])

-- name: texts_after
SELECT row, text FROM {rows} t WHERE row > ? ORDER BY row LIMIT nullif(?, -1)

-- name: sampled_texts (past)
SELECT text FROM {rows} t WHERE row = ANY(translate(?, '[]', '{}')::bigint[])

-- name: last_row (past)
SELECT max({key}) FROM loxodon.{table}

-- name: count_rows
SELECT count(*) FROM {table}

-- name: matching
SELECT t.{key} FROM {table} t WHERE {where}

-- name: matching_of
SELECT t.{key} FROM {table} t WHERE t.{key} = ANY(translate(?, '[]', '{}')::bigint[]) AND {where}

-- name: turns_within
SELECT count(*), min(seq), max(seq) FROM (SELECT seq FROM turns WHERE at >= $1 AND at < $2 LIMIT nullif($3, -1)) t

-- name: sampled_turns (past)
SELECT seq, session, substr(content, 1, 1000) FROM loxodon.turns
WHERE seq = ANY(translate($1, '[]', '{}')::bigint[])

-- name: drop_common_word
DELETE FROM loxodon.common_words WHERE name = $1 AND word = $2

-- name: clear_labels
DELETE FROM loxodon.memory_labels

-- name: clear_common_words
DELETE FROM loxodon.common_words

-- name: unindex_all
INSERT INTO loxodon.unindexed (memory) SELECT row FROM memories WHERE true ON CONFLICT DO NOTHING

-- name: clear_samples
DELETE FROM loxodon.meta WHERE name LIKE 'sampled\_%' ESCAPE '\'

-- name: clear_row_counts
DELETE FROM loxodon.counters WHERE name LIKE 'rows\_%' ESCAPE '\'

-- name: zero_row_counts
UPDATE loxodon.counters SET last = 0 WHERE name LIKE 'rows\_%' ESCAPE '\'

-- name: memories_after
SELECT t.row, t.id, t.kind, t.content, t.created_at, t.updated_at, t.strength, t.agent, t.audience, t.subject,
  t.attribute, t.value, t.category, t.project, t.topic, t.tags, t.entities, t.importance, t.confidence,
  t.sensitivity, t.trust, t.state, t.valid_from, t.valid_until, t.expires_at, t.due_at, t.done,
  t.accessed_at, t.confirmed_at, t.access_count, t.version, t.basis, t.derived_from, t.replaces,
  t.positive, t.strength_at FROM memories t WHERE t.row > $1 AND t.state = $2 ORDER BY t.row LIMIT nullif($3, -1)

-- name: set_end
UPDATE loxodon.memories SET ends_at = $1 WHERE row = $2

-- name: entity_aliases
SELECT no, name, aliases, agent FROM entities ORDER BY no

-- name: clear_entity_names
DELETE FROM loxodon.entity_names

-- part: memory_kind
t.kind = ?

-- part: memory_state
t.state = ?

-- part: memory_state_of_few
t.state = ?

-- part: memory_label
EXISTS (SELECT 1 FROM memory_labels l WHERE l.label = ? AND l.name = ? AND l.memory = t.row)

-- part: memory_of_few
t.row IN (SELECT memory FROM memory_labels WHERE label = ? AND name = ?)

-- part: memory_about
t.row IN (SELECT memory FROM memory_labels WHERE label = 'about' AND name = ?)

-- part: memory_shared
t.audience <> 'private'

-- part: memory_audience
t.audience = ?

-- part: memory_trust
t.trust = ANY(ARRAY(SELECT value FROM json_each(?)))

-- part: memory_since
coalesce(t.valid_from, t.created_at) >= ?

-- part: memory_until
coalesce(t.valid_from, t.created_at) < ?

-- part: memory_projects
lower(t.project) IN (SELECT lower(value) FROM json_each(?))

-- part: turn_session
t.session = (SELECT no FROM sessions WHERE id = ?)

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
EXISTS (SELECT 1 FROM chunk_places p JOIN source_files f ON f.no = p.file WHERE p.chunk = t.no
  AND coalesce(p.at, f.mtime / 1000000) >= ? AND (p.at IS NULL OR p.at < ?)
  AND (CAST(? AS TEXT) IS NULL OR lower(p.project) = lower(?)))

-- part: document_under
t.namespace >= ? AND t.namespace < ?

-- part: document_in
t.namespace = ?

-- part: document_before
t.no < ?

-- name: known_turns (past)
SELECT key, content, origin = 'user' AND speaker = '' FROM loxodon.turns
WHERE key = ANY(ARRAY(SELECT decode(value, 'hex') FROM json_each($1)))

-- name: turns_by_key
SELECT seq, key FROM turns WHERE key = ANY(ARRAY(SELECT decode(value, 'hex') FROM json_each($1)))

-- name: set_speaker (past)
UPDATE loxodon.turns SET speaker = $1, origin = $2 WHERE seq = $3

-- name: turns
SELECT t.seq, s.id, t.id, t.role, t.content, t.at, t.utc_offset, t.speaker, t.channel, t.chat, t.origin,
  t.agent FROM turns t JOIN sessions s ON s.no = t.session WHERE t.seq = ANY(translate($1, '[]', '{}')::bigint[])

-- name: last_turn
SELECT coalesce(max(seq), 0) FROM turns

-- name: turns_after
SELECT t.seq, s.id, t.id, t.role, t.content, t.at, t.utc_offset, t.speaker, t.channel, t.chat, t.origin,
  t.agent FROM turns t JOIN sessions s ON s.no = t.session WHERE t.seq > $1 AND t.seq <= $2 ORDER BY t.seq LIMIT nullif($3, -1)

-- name: turns_before
SELECT t.seq, s.id, t.id, t.role, t.content, t.at, t.utc_offset, t.speaker, t.channel, t.chat, t.origin,
  t.agent FROM turns t JOIN sessions s ON s.no = t.session WHERE t.seq IN (
  SELECT o.seq FROM turns o WHERE o.session = (SELECT no FROM sessions WHERE id = $1) AND o.seq < $2 ORDER BY o.seq DESC LIMIT nullif($3, -1)
) ORDER BY t.seq

-- name: turns_behind
SELECT t.seq, s.id, t.id, t.role, t.content, t.at, t.utc_offset, t.speaker, t.channel, t.chat, t.origin,
  t.agent FROM turns t JOIN sessions s ON s.no = t.session WHERE t.session = (SELECT no FROM sessions WHERE id = $1) AND t.seq > $2 ORDER BY t.seq LIMIT nullif($3, -1)

-- name: turns_from
SELECT t.seq, s.id, t.id, t.role, t.content, t.at, t.utc_offset, t.speaker, t.channel, t.chat, t.origin,
  t.agent FROM turns t JOIN sessions s ON s.no = t.session WHERE t.session = (SELECT no FROM sessions WHERE id = $1) AND t.seq BETWEEN $2 AND $3 ORDER BY t.seq

-- name: turns_of_days
SELECT t.seq, s.id, t.id, t.role, t.content, t.at, t.utc_offset, t.speaker, t.channel, t.chat, t.origin,
  t.agent FROM turns t JOIN sessions s ON s.no = t.session WHERE (t.session, ((t.at + t.utc_offset * 60000 + 62135596800000) / 86400000)) IN (
  SELECT t.session, ((t.at + t.utc_offset * 60000 + 62135596800000) / 86400000) FROM turns t WHERE t.seq = ANY(translate($1, '[]', '{}')::bigint[])
) ORDER BY t.seq

-- name: replies_to
SELECT DISTINCT r.seq FROM turns t JOIN turns r ON r.session = t.session AND r.seq > t.seq
WHERE t.seq = ANY(translate($1, '[]', '{}')::bigint[]) AND NOT EXISTS (
  SELECT 1 FROM turns u WHERE u.session = t.session AND u.role = 'user'
  AND u.seq > t.seq AND u.seq <= r.seq
)

-- name: turns_to_read_again
SELECT t.seq, s.id, t.id, t.role, t.content, t.at, t.utc_offset, t.speaker, t.channel, t.chat, t.origin,
  t.agent FROM turns t JOIN sessions s ON s.no = t.session WHERE t.seq IN (SELECT turn FROM fragments WHERE stage = 'again')
ORDER BY t.seq LIMIT nullif($1, -1)

-- name: turns_being_read_again
SELECT t.seq, s.id, t.id, t.role, t.content, t.at, t.utc_offset, t.speaker, t.channel, t.chat, t.origin,
  t.agent FROM turns t JOIN sessions s ON s.no = t.session WHERE t.seq IN (SELECT turn FROM fragments WHERE stage = 'cut' AND turn <= $1)
ORDER BY t.seq

-- name: places
SELECT t.seq, t.session, t.role, t.speaker, t.channel, t.at FROM turns t
WHERE t.seq = ANY(translate($1, '[]', '{}')::bigint[])

-- name: beside
SELECT t.seq,
  (SELECT n.seq FROM turns n WHERE n.session = t.session AND n.seq < t.seq
   ORDER BY n.seq DESC LIMIT 1 OFFSET 0),
  (SELECT n.seq FROM turns n WHERE n.session = t.session AND n.seq < t.seq
   ORDER BY n.seq DESC LIMIT 1 OFFSET 1),
  (SELECT n.seq FROM turns n WHERE n.session = t.session AND n.seq > t.seq
   ORDER BY n.seq LIMIT 1 OFFSET 0),
  (SELECT n.seq FROM turns n WHERE n.session = t.session AND n.seq > t.seq
   ORDER BY n.seq LIMIT 1 OFFSET 1)
FROM turns t WHERE t.seq = ANY(translate($1, '[]', '{}')::bigint[])

-- part: last_change
memory_changes c ON c.memory = m.row AND c.version = m.version

-- part: standing_of
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
INSERT INTO loxodon.memories (row, ends_at, id, kind, content, created_at, updated_at, strength, agent,
  audience, subject, attribute, value, category, project, topic, tags, entities, importance,
  confidence, sensitivity, trust, state, valid_from, valid_until, expires_at, due_at, done,
  accessed_at, confirmed_at, access_count, version, basis, derived_from, replaces, positive,
  strength_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32,
  $33, $34, $35, $36, $37)

-- name: set_memory
UPDATE loxodon.memories SET {set} WHERE row = ?

-- name: has_memory (past)
SELECT 1 FROM loxodon.memories WHERE id = $1

-- name: memory_itself (past)
SELECT t.id, t.kind, t.content, t.created_at, t.updated_at, t.strength, t.agent, t.audience, t.subject,
  t.attribute, t.value, t.category, t.project, t.topic, t.tags, t.entities, t.importance, t.confidence,
  t.sensitivity, t.trust, t.state, t.valid_from, t.valid_until, t.expires_at, t.due_at, t.done,
  t.accessed_at, t.confirmed_at, t.access_count, t.version, t.basis, t.derived_from, t.replaces,
  t.positive, t.strength_at FROM loxodon.memories t WHERE t.row = $1

-- name: memories
SELECT t.row, t.id, t.kind, t.content, t.created_at, t.updated_at, t.strength, t.agent, t.audience, t.subject,
  t.attribute, t.value, t.category, t.project, t.topic, t.tags, t.entities, t.importance, t.confidence,
  t.sensitivity, t.trust, t.state, t.valid_from, t.valid_until, t.expires_at, t.due_at, t.done,
  t.accessed_at, t.confirmed_at, t.access_count, t.version, t.basis, t.derived_from, t.replaces,
  t.positive, t.strength_at FROM memories t WHERE t.row = ANY(translate($1, '[]', '{}')::bigint[])

-- name: find_strongest
SELECT t.row, t.id, t.kind, t.content, t.created_at, t.updated_at, t.strength, t.agent, t.audience, t.subject,
  t.attribute, t.value, t.category, t.project, t.topic, t.tags, t.entities, t.importance, t.confidence,
  t.sensitivity, t.trust, t.state, t.valid_from, t.valid_until, t.expires_at, t.due_at, t.done,
  t.accessed_at, t.confirmed_at, t.access_count, t.version, t.basis, t.derived_from, t.replaces,
  t.positive, t.strength_at FROM memories t WHERE {where} ORDER BY t.ends_at DESC, t.row DESC LIMIT nullif(?, -1)

-- name: foremost
SELECT t.row FROM memories t WHERE {where} ORDER BY t.importance DESC, t.row DESC LIMIT nullif(?, -1)

-- name: labelled
SELECT l.memory FROM memory_labels l JOIN memories t ON t.row = l.memory
WHERE l.label = $1 AND l.name = $2 AND t.state = $3 ORDER BY l.memory DESC LIMIT nullif($4, -1)

-- name: count_labelled
SELECT count(*) FROM (SELECT 1 FROM memory_labels WHERE label = $1 AND name = $2 LIMIT nullif($3, -1)) t

-- name: told_at
SELECT s.memory, min(t.at) FROM memory_sources s JOIN turns t ON t.seq = s.seq
WHERE s.memory = ANY(translate($1, '[]', '{}')::bigint[]) GROUP BY s.memory

-- name: sources
SELECT memory, session, turn, file, line FROM memory_sources
WHERE memory = ANY(translate($1, '[]', '{}')::bigint[]) ORDER BY memory, n

-- name: standing
SELECT m.row, CASE WHEN m.state = 'active' THEN CASE WHEN EXISTS (
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
WHEN c.change IN ('archived', 'confirmed') THEN 'put away' ELSE 'faded' END FROM memories m JOIN memory_changes c ON c.memory = m.row AND c.version = m.version
WHERE m.row = ANY(translate($1, '[]', '{}')::bigint[])

-- name: doubts
SELECT r.belief, r.against FROM reviews r
WHERE r.belief = ANY(translate($1, '[]', '{}')::bigint[]) AND r.answer = '' AND r.against <> r.belief

-- name: outcomes
SELECT s.seq, s.memory, c.change, CASE WHEN m.state = 'active' THEN CASE WHEN EXISTS (
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
WHEN c.change IN ('archived', 'confirmed') THEN 'put away' ELSE 'faded' END FROM memory_sources s
LEFT JOIN memories m ON m.row = s.memory LEFT JOIN memory_changes c ON c.memory = m.row AND c.version = m.version
WHERE s.seq = ANY(translate($1, '[]', '{}')::bigint[])

-- name: drawn_from
SELECT seq, memory FROM memory_sources WHERE seq = ANY(translate($1, '[]', '{}')::bigint[])

-- name: successors
WITH RECURSIVE next (first, row, id) AS (
  SELECT row, row, id FROM memories WHERE row = ANY(translate($1, '[]', '{}')::bigint[])
  UNION
  SELECT next.first, m.row, m.id FROM next JOIN memories m
  ON m.replaces = next.id AND m.replaces <> '')
SELECT next.first, next.row FROM next JOIN memories m ON m.row = next.row
WHERE next.row <> next.first AND m.state = 'active' ORDER BY next.row

-- name: marks_version
SELECT count(*) || ':' || coalesce(sum(until % 1000000), 0) FROM tombstones

-- name: memories_version
SELECT coalesce(sum(last), 0) || ':' || (SELECT count(*) FROM tombstones) FROM counters
WHERE name IN ('memory', 'changed_memories')

-- part: entities_of_names
WITH RECURSIVE agents (name) AS (
  SELECT min(agent) FROM entity_names
  UNION ALL
  SELECT (SELECT min(agent) FROM entity_names WHERE agent > agents.name)
  FROM agents WHERE agents.name IS NOT NULL)
SELECT n.agent, n.name, e.name, e.type, e.aliases, e.created_at, e.updated_at, e.no FROM agents JOIN json_each(?1) j ON true
JOIN entity_names n ON n.agent = agents.name AND n.name = j.value
JOIN entities e ON e.no = n.entity

-- name: entities_named
WITH RECURSIVE agents (name) AS (
  SELECT min(agent) FROM entity_names
  UNION ALL
  SELECT (SELECT min(agent) FROM entity_names WHERE agent > agents.name)
  FROM agents WHERE agents.name IS NOT NULL)
SELECT n.agent, n.name, e.name, e.type, e.aliases, e.created_at, e.updated_at, e.no FROM agents JOIN json_each($1) j ON true
JOIN entity_names n ON n.agent = agents.name AND n.name = j.value
JOIN entities e ON e.no = n.entity ORDER BY 1 DESC

-- name: named
WITH RECURSIVE agents (name) AS (
  SELECT min(agent) FROM entity_names
  UNION ALL
  SELECT (SELECT min(agent) FROM entity_names WHERE agent > agents.name)
  FROM agents WHERE agents.name IS NOT NULL)
SELECT n.agent, n.name, e.name, e.type, e.aliases, e.created_at, e.updated_at, e.no FROM agents JOIN json_each($1) j ON true
JOIN entity_names n ON n.agent = agents.name AND n.name = j.value
JOIN entities e ON e.no = n.entity
UNION ALL
SELECT 'project', j.value, (SELECT t.project FROM memories t WHERE t.row =
  (SELECT max(l.memory) FROM memory_labels l WHERE l.label = 'project' AND l.name = j.value)),
  '', '', 0, 0, 0 FROM json_each($1) j
UNION ALL
SELECT 'topic', j.value, (SELECT t.topic FROM memories t WHERE t.row =
  (SELECT max(l.memory) FROM memory_labels l WHERE l.label = 'topic' AND l.name = j.value)),
  '', '', 0, 0, 0 FROM json_each($1) j
ORDER BY 1 DESC

-- name: entities
SELECT e.name, e.type, e.aliases, e.created_at, e.updated_at, e.no FROM entities e ORDER BY e.no

-- name: entity_agent (past)
SELECT agent FROM loxodon.entities WHERE no = $1

-- name: drop_entity_names
DELETE FROM loxodon.entity_names WHERE entity = $1

-- name: drop_entity
DELETE FROM loxodon.entities WHERE no = $1

-- name: aliases
SELECT name, aliases FROM entities WHERE aliases <> '[]' AND agent IN ('', $1) ORDER BY agent, no

-- name: call_done
SELECT t.request, m.id, t.version FROM tokens t JOIN memories m ON m.row = t.memory
WHERE t.token = $1 AND t.at >= $2

-- name: drop_old_calls (past)
DELETE FROM loxodon.tokens WHERE at < $1

-- name: put_call (past)
INSERT INTO loxodon.tokens (token, request, memory, version, at)
SELECT $1, $2, row, $3, $4 FROM loxodon.memories WHERE id = $5
ON CONFLICT (space_id, token) DO UPDATE SET request = excluded.request, memory = excluded.memory,
  version = excluded.version, at = excluded.at

-- name: pool_sizes
SELECT (SELECT count(*) FROM memories WHERE state = 'active'),
  (SELECT count(*) FROM memories WHERE state = 'archived'), (SELECT count(*) FROM entities),
  (SELECT count(DISTINCT name) FROM memory_labels WHERE label = 'topic'),
  (SELECT count(*) FROM turns)

-- name: last_segment
SELECT g.no, s.id, g.first_turn, g.last_turn, g.started_at, g.ended_at, g.utc_offset, g.topic, g.tags, g.text
  FROM segments g JOIN sessions s ON s.no = g.session WHERE g.session = (SELECT no FROM sessions WHERE id = $1) ORDER BY g.last_turn DESC LIMIT 1

-- name: drop_segment
DELETE FROM loxodon.segments WHERE no = $1

-- name: drop_fragments
DELETE FROM loxodon.fragments WHERE turn = $1

-- name: drop_cut_fragments
DELETE FROM loxodon.fragments WHERE stage = 'cut'

-- name: drop_asked_fragments
DELETE FROM loxodon.fragments WHERE stage = 'waiting' AND keep >= $1

-- name: drop_fragment
DELETE FROM loxodon.fragments WHERE turn = $1 AND n = $2

-- name: fragments
SELECT turn, n, text, type FROM fragments WHERE stage = $1 ORDER BY turn, n LIMIT nullif($2, -1)

-- name: waiting
SELECT turn, n, text, type, bonus FROM fragments WHERE stage = 'waiting' ORDER BY turn, n

-- name: count_fragments
SELECT count(*) FROM fragments WHERE stage = $1

-- name: put_candidate
INSERT INTO loxodon.candidates (turn, body) VALUES ($1, $2)

-- name: candidates
SELECT no, turn, body FROM candidates ORDER BY no

-- name: drop_candidates
DELETE FROM loxodon.candidates

-- name: drop_candidate
DELETE FROM loxodon.candidates WHERE no = $1

-- name: drop_candidates_of
DELETE FROM loxodon.candidates WHERE turn = $1

-- name: events
SELECT date, at, session, channel, sender, summary, tokens, trust, compressed, agent FROM events WHERE date >= $1 ORDER BY date, at, no

-- name: count_events
SELECT count(*) FROM events

-- name: pending_events
SELECT date, at, session, channel, sender, summary, tokens, trust, compressed, agent FROM events WHERE date < $1 AND compressed = 0 ORDER BY date, at, no

-- name: mark_compressed
UPDATE loxodon.events SET compressed = 1 WHERE date = $1 AND agent = $2 AND compressed = 0

-- name: clear_uses
DELETE FROM loxodon.memory_uses

-- name: drop_unindexed
DELETE FROM loxodon.unindexed WHERE memory = ANY(translate($1, '[]', '{}')::bigint[])

-- name: documents
SELECT no, namespace, key, value, created_at, updated_at, minutes, expires_at FROM documents WHERE no = ANY(translate($1, '[]', '{}')::bigint[])

-- name: newest_documents
SELECT no, namespace, key, value, created_at, updated_at, minutes, expires_at FROM documents WHERE no IN (SELECT t.no FROM documents t WHERE {where} ORDER BY t.no DESC LIMIT nullif(?, -1))
ORDER BY no DESC

-- name: namespaces
SELECT DISTINCT t.namespace FROM documents t
WHERE (t.expires_at IS NULL OR t.expires_at > $1)
  AND ($2 = '' OR t.namespace >= $2 AND t.namespace < $3)

-- name: drop_document
DELETE FROM loxodon.documents WHERE no = $1

-- name: quarantined_in
SELECT no, turn, memory, start, stop, text, reason, origin, at, state, decided_at FROM quarantine WHERE turn = ANY(translate($1, '[]', '{}')::bigint[])
AND state IN ('held', 'dropped') ORDER BY turn, start

-- name: has_quarantine
SELECT 1 FROM quarantine LIMIT 1

-- name: quarantined_one
SELECT no, turn, memory, start, stop, text, reason, origin, at, state, decided_at FROM quarantine WHERE no = $1

-- name: quarantined_by_state
SELECT no, turn, memory, start, stop, text, reason, origin, at, state, decided_at FROM quarantine WHERE $1 IN ('', state) ORDER BY no DESC

-- part: quarantine_state
state = ?

-- name: files
SELECT f.root, f.path, f.role, f.size, f.mtime, f.hash, f.problem FROM source_files f ORDER BY f.root, f.path

-- name: own_files
SELECT root || '/' || path FROM source_files UNION SELECT path FROM followed ORDER BY 1

-- name: drop_places
DELETE FROM loxodon.chunk_places WHERE file = $1

-- name: drop_source_file
DELETE FROM loxodon.source_files WHERE no = $1

-- name: notes
SELECT c.no, c.text, p.first_line, p.last_line, p.heading, p.at, p.type, p.importance, p.project,
  p.triggers, f.root, f.path, f.role, f.size, f.mtime, f.hash, f.problem
FROM chunks c JOIN chunk_places p ON (p.file, p.n) = (
  SELECT q.file, q.n FROM chunk_places q JOIN source_files g ON g.no = q.file
  WHERE q.chunk = c.no ORDER BY g.root, g.path, q.n LIMIT 1)
JOIN source_files f ON f.no = p.file WHERE c.no = ANY(translate($1, '[]', '{}')::bigint[])

-- name: chunks_by_hash
SELECT hash, no FROM chunks WHERE hash = ANY(ARRAY(SELECT decode(value, 'hex') FROM json_each($1)))

-- name: placed_chunks
SELECT DISTINCT chunk FROM chunk_places WHERE chunk = ANY(translate($1, '[]', '{}')::bigint[])

-- name: drop_chunk
DELETE FROM loxodon.chunks WHERE no = $1

-- name: imported
SELECT i.key, m.id FROM imports i JOIN memories m ON m.row = i.memory
WHERE i.key = ANY(ARRAY(SELECT decode(value, 'hex') FROM json_each($1)))

-- name: vectors_by_hash
SELECT hash, half FROM vectors
WHERE model = (SELECT no FROM vector_models WHERE name = $1) AND hash = ANY(ARRAY(SELECT decode(value, 'hex') FROM json_each($2)))

-- name: drop_other_models
DELETE FROM loxodon.{table} WHERE {key} IN (SELECT no FROM vector_models WHERE name <> ?)

-- name: page_memories
SELECT t.created_at, t.row, t.row, t.id, t.kind, t.content, t.created_at, t.updated_at, t.strength, t.agent, t.audience, t.subject,
  t.attribute, t.value, t.category, t.project, t.topic, t.tags, t.entities, t.importance, t.confidence,
  t.sensitivity, t.trust, t.state, t.valid_from, t.valid_until, t.expires_at, t.due_at, t.done,
  t.accessed_at, t.confirmed_at, t.access_count, t.version, t.basis, t.derived_from, t.replaces,
  t.positive, t.strength_at FROM memories t WHERE {where}
ORDER BY t.created_at DESC, t.row DESC LIMIT nullif(?, -1)

-- name: page_few_memories
SELECT t.created_at, t.row, t.row, t.id, t.kind, t.content, t.created_at, t.updated_at, t.strength, t.agent, t.audience, t.subject,
  t.attribute, t.value, t.category, t.project, t.topic, t.tags, t.entities, t.importance, t.confidence,
  t.sensitivity, t.trust, t.state, t.valid_from, t.valid_until, t.expires_at, t.due_at, t.done,
  t.accessed_at, t.confirmed_at, t.access_count, t.version, t.basis, t.derived_from, t.replaces,
  t.positive, t.strength_at FROM memories t WHERE {where}
ORDER BY t.created_at DESC, t.row DESC LIMIT nullif(?, -1)

-- part: after_memories
(t.created_at, t.row) < (?, ?)

-- part: after_few_memories
(t.created_at, t.row) < (?, ?)

-- name: page_due
SELECT t.due_at, t.row, t.row, t.id, t.kind, t.content, t.created_at, t.updated_at, t.strength, t.agent, t.audience, t.subject,
  t.attribute, t.value, t.category, t.project, t.topic, t.tags, t.entities, t.importance, t.confidence,
  t.sensitivity, t.trust, t.state, t.valid_from, t.valid_until, t.expires_at, t.due_at, t.done,
  t.accessed_at, t.confirmed_at, t.access_count, t.version, t.basis, t.derived_from, t.replaces,
  t.positive, t.strength_at FROM memories t
WHERE t.due_at IS NOT NULL AND t.done = 0 AND t.state = 'active' AND {where}
ORDER BY t.due_at, t.row LIMIT nullif(?, -1)

-- part: due_by
t.due_at <= ?

-- part: after_due
(t.due_at, t.row) > (?, ?)

-- name: page_turns
SELECT t.at, t.seq, t.seq, s.id, t.id, t.role, t.content, t.at, t.utc_offset, t.speaker, t.channel, t.chat, t.origin,
  t.agent FROM turns t JOIN sessions s ON s.no = t.session WHERE {where} ORDER BY t.at DESC, t.seq DESC LIMIT nullif(?, -1)

-- part: after_turns
(t.at, t.seq) < (?, ?)

-- name: page_sessions
SELECT s.no, s.id, (SELECT count(*) FROM turns u WHERE u.session = s.no), s.first_at, s.last_at
FROM sessions s WHERE EXISTS (SELECT 1 FROM turns u WHERE u.session = s.no) AND {where}
ORDER BY s.no DESC LIMIT nullif(?, -1)

-- part: after_sessions
s.no < ?

-- part: session_since
s.last_at >= ?

-- part: session_until
s.first_at < ?

-- name: page_entities
SELECT e.no, e.name, e.type, e.aliases, e.created_at, e.updated_at, e.no FROM entities e WHERE {where} ORDER BY e.no LIMIT nullif(?, -1)

-- part: after_entities
e.no > ?

-- name: page_segments
SELECT g.started_at, g.no, g.no, s.id, g.first_turn, g.last_turn, g.started_at, g.ended_at, g.utc_offset, g.topic, g.tags, g.text
  FROM segments g JOIN sessions s ON s.no = g.session WHERE {where} ORDER BY g.started_at, g.no LIMIT nullif(?, -1)

-- part: after_segments
(g.started_at, g.no) > (?, ?)

-- part: segments_since
g.ended_at >= ?

-- part: segments_until
g.started_at < ?

-- name: page_events
SELECT date, at, no, date, at, session, channel, sender, summary, tokens, trust, compressed, agent FROM events WHERE {where} ORDER BY date, at, no LIMIT nullif(?, -1)

-- part: after_events
(date, at, no) > (?, ?, ?)

-- part: events_since
date >= ?

-- name: page_reviews
SELECT r.asked_at, r.belief, r.belief, r.against, r.asked_at FROM reviews r
JOIN memories b ON b.row = r.belief JOIN memories a ON a.row = r.against
WHERE r.answer = '' AND b.state = 'active' AND a.state = 'active' AND {where}
ORDER BY r.asked_at, r.belief LIMIT nullif(?, -1)

-- part: after_reviews
(r.asked_at, r.belief) > (?, ?)

-- name: page_quarantine
SELECT no, no, turn, memory, start, stop, text, reason, origin, at, state, decided_at FROM quarantine WHERE {where} ORDER BY no DESC LIMIT nullif(?, -1)

-- part: after_quarantine
no < ?

-- name: page_receipts
SELECT at, id, id, at, actor, what, erased, files FROM receipts WHERE {where}
ORDER BY at DESC, id DESC LIMIT nullif(?, -1)

-- part: after_receipts
(at, id) < (?, ?)

-- name: turn_rows
SELECT t.seq, s.id, t.id, t.key, t.speaker, t.channel, t.at, t.content
FROM turns t JOIN sessions s ON s.no = t.session WHERE t.seq > ? AND {where} ORDER BY t.seq LIMIT nullif(?, -1)

-- part: turn_rows_of
t.seq = ANY(translate(?, '[]', '{}')::bigint[])

-- name: memory_rows
SELECT t.row, t.id, t.kind, t.content, t.created_at, t.updated_at, t.strength, t.agent, t.audience, t.subject,
  t.attribute, t.value, t.category, t.project, t.topic, t.tags, t.entities, t.importance, t.confidence,
  t.sensitivity, t.trust, t.state, t.valid_from, t.valid_until, t.expires_at, t.due_at, t.done,
  t.accessed_at, t.confirmed_at, t.access_count, t.version, t.basis, t.derived_from, t.replaces,
  t.positive, t.strength_at FROM memories t WHERE t.row > ? AND {where} ORDER BY 1 LIMIT nullif(?, -1)

-- part: memory_rows_of
t.row = ANY(translate(?, '[]', '{}')::bigint[])

-- name: memories_of_turns
SELECT DISTINCT memory FROM memory_sources WHERE seq = ANY(translate($1, '[]', '{}')::bigint[])

-- name: turns_of_memories
SELECT memory, seq FROM memory_sources
WHERE seq IS NOT NULL AND memory = ANY(translate($1, '[]', '{}')::bigint[])

-- name: memories_telling
SELECT row FROM memories WHERE kind <> 'summary'
AND (instr(content, $1) > 0 OR instr(subject, $1) > 0 OR instr(entities, $1) > 0)

-- name: histories
SELECT memory, version, before FROM memory_changes
WHERE before IS NOT NULL AND (memory, version) > ($1, $2) ORDER BY memory, version LIMIT nullif($3, -1)

-- name: histories_with
SELECT memory, version, before FROM memory_changes WHERE instr(before, $1) > 0

-- name: times_said
SELECT count(*) FROM turns WHERE instr(content, $1) > 0

-- name: occurs
SELECT EXISTS (SELECT 1 FROM memories WHERE instr(content, $1) > 0)
  OR EXISTS (SELECT 1 FROM turns WHERE instr(content, $1) > 0)

-- name: memories_naming
SELECT row, subject, entities FROM memories
WHERE subject = $1 OR EXISTS (SELECT 1 FROM json_each(entities) j WHERE j.value = $1)

-- name: rename_in_memory
UPDATE loxodon.memories SET subject = $1, entities = $2 WHERE row = $3

-- name: sessions_and_channels
SELECT name, min(at) FROM (
  SELECT id AS name, first_at AS at FROM sessions
  UNION ALL SELECT channel, at FROM turns UNION ALL SELECT channel, at FROM events) t
WHERE name <> '' GROUP BY name

-- name: session_number
SELECT no FROM sessions WHERE id = $1

-- name: move_turns
UPDATE loxodon.turns SET session = $2 WHERE session = (SELECT no FROM sessions WHERE id = $1)

-- name: move_segments
UPDATE loxodon.segments SET session = $2 WHERE session = (SELECT no FROM sessions WHERE id = $1)

-- name: join_sessions
UPDATE loxodon.sessions SET turns = sessions.turns + o.turns,
  first_at = min(sessions.first_at, o.first_at), last_at = max(sessions.last_at, o.last_at)
FROM sessions o WHERE o.id = $1 AND sessions.no = $2

-- name: drop_session
DELETE FROM loxodon.sessions WHERE id = $1

-- name: rename_session
UPDATE loxodon.sessions SET id = $1 WHERE id = $2

-- name: rename_session_of_events
UPDATE loxodon.events SET session = $1 WHERE session = $2

-- name: rename_session_of_sources
UPDATE loxodon.memory_sources SET session = $1 WHERE session = $2

-- name: rename_channel_of_turns
UPDATE loxodon.turns SET channel = $1 WHERE channel = $2

-- name: rename_channel_of_events
UPDATE loxodon.events SET channel = $1 WHERE channel = $2

-- name: drop_all_labels
DELETE FROM loxodon.memory_labels WHERE memory = $1

-- name: set_turn
UPDATE loxodon.turns SET content = $1, key = $2 WHERE seq = $3

-- name: quarantine_of_turns
SELECT q.no, q.turn, q.start, substr(t.content, q.start + 1, q.stop - q.start)
FROM quarantine q JOIN turns t ON t.seq = q.turn WHERE q.turn = ANY(translate($1, '[]', '{}')::bigint[])

-- name: drop_quarantine
DELETE FROM loxodon.quarantine WHERE no = $1

-- name: move_quarantine
UPDATE loxodon.quarantine SET start = $1, stop = $2 WHERE no = $3

-- name: drop_rows_of
DELETE FROM loxodon.{table} WHERE {key} = ANY(translate(?, '[]', '{}')::bigint[])

-- name: sessions_of
SELECT DISTINCT session FROM turns WHERE seq = ANY(translate($1, '[]', '{}')::bigint[])

-- name: drop_empty_session
DELETE FROM loxodon.sessions WHERE no = $1 AND NOT EXISTS (SELECT 1 FROM turns WHERE session = $1)
AND NOT EXISTS (SELECT 1 FROM segments WHERE session = $1)

-- name: fragments_of
SELECT turn, n, text FROM fragments WHERE turn = ANY(translate($1, '[]', '{}')::bigint[])

-- name: candidates_of
SELECT no FROM candidates WHERE turn = ANY(translate($1, '[]', '{}')::bigint[])

-- name: segments_with
SELECT DISTINCT g.no, s.id, g.first_turn, g.last_turn FROM turns t
JOIN segments g ON g.session = t.session AND g.first_turn <= t.seq AND g.last_turn >= t.seq
JOIN sessions s ON s.no = g.session WHERE t.seq = ANY(translate($1, '[]', '{}')::bigint[])

-- name: memory_ids
SELECT id FROM memories WHERE row = ANY(translate($1, '[]', '{}')::bigint[])

-- name: import_keys
SELECT key FROM imports WHERE memory = ANY(translate($1, '[]', '{}')::bigint[])

-- name: drop_quarantine_of
DELETE FROM loxodon.quarantine WHERE memory = ANY(ARRAY(SELECT value FROM json_each($1)))

-- name: unlink_replaced
UPDATE loxodon.memories SET replaces = ''
WHERE replaces = ANY(ARRAY(SELECT value FROM json_each($1)))

-- name: summaries_of
SELECT row FROM memories WHERE kind = 'summary' AND derived_from <> '[]' AND EXISTS (
  SELECT 1 FROM json_each(derived_from) d
  WHERE d.value = ANY(ARRAY(SELECT value FROM json_each($1))))

-- name: memories_derived_from
SELECT row, derived_from FROM memories WHERE derived_from <> '[]' AND EXISTS (
  SELECT 1 FROM json_each(derived_from) d
  WHERE d.value = ANY(ARRAY(SELECT value FROM json_each($1))))

-- name: set_derived_from
UPDATE loxodon.memories SET derived_from = $1 WHERE row = $2

-- name: set_history
UPDATE loxodon.memory_changes SET before = $1 WHERE memory = $2 AND version = $3

-- name: drop_events (past)
DELETE FROM loxodon.events WHERE session = $1
AND date = ANY(ARRAY(SELECT value FROM json_each($2))) RETURNING date, compressed

-- name: drop_event
DELETE FROM loxodon.events WHERE no = $1

-- name: documents_by_key
SELECT no FROM documents WHERE key = $1

-- name: drop_pages
DELETE FROM loxodon.pages WHERE name <> 'views' RETURNING 1

-- name: clear_table
DELETE FROM loxodon.{table}

-- name: clear_job_errors
UPDATE loxodon.jobs SET error = ''

-- name: tombstones
SELECT kind, mark, until, size FROM tombstones

-- name: put_tombstone
INSERT INTO loxodon.tombstones (kind, mark, until, size) VALUES ($1, $2, $3, $4)
ON CONFLICT (space_id, kind, mark) DO UPDATE SET until = max(tombstones.until, $3)

-- name: put_receipt
INSERT INTO loxodon.receipts (id, at, actor, what, erased, files) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (space_id, id) DO UPDATE SET at = $2, actor = $3, what = $4, erased = $5, files = $6

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
UPDATE loxodon.events SET summary = $1 WHERE no = $2

-- name: set_events_sender
UPDATE loxodon.events SET sender = $1 WHERE no = $2

-- name: set_documents_value
UPDATE loxodon.documents SET value = $1 WHERE no = $2

-- name: set_documents_text
UPDATE loxodon.documents SET text = $1 WHERE no = $2

-- name: set_quarantine_text
UPDATE loxodon.quarantine SET text = $1 WHERE no = $2

-- name: set_jobs_error
UPDATE loxodon.jobs SET error = $1 WHERE name = $2

-- name: set_vector_models_error
UPDATE loxodon.vector_models SET error = $1 WHERE no = $2

-- name: set_vector_todo_error
UPDATE loxodon.vector_todo SET error = $1 WHERE model = $2 AND kind = $3 AND row = $4

-- name: set_fragments_reason
UPDATE loxodon.fragments SET reason = $1 WHERE turn = $2 AND n = $3

-- part: day
((t.at + t.utc_offset * 60000 + 62135596800000) / 86400000)

-- name: days
SELECT ((t.at + t.utc_offset * 60000 + 62135596800000) / 86400000) AS day, count(*), sum(octet_length(t.content)), min(t.seq), max(t.seq) FROM turns t
GROUP BY day ORDER BY day

-- name: sizes_of_day
SELECT t.seq, octet_length(t.content) FROM turns t WHERE t.at BETWEEN $1 AND $2 AND ((t.at + t.utc_offset * 60000 + 62135596800000) / 86400000) = $3
ORDER BY t.seq

-- name: turns_of_day
SELECT t.seq, (SELECT s.id FROM sessions s WHERE s.no = t.session), t.id, t.key, t.role, t.speaker,
  t.channel, t.chat, t.origin, t.at, t.utc_offset, t.content, t.agent
FROM turns t WHERE t.at BETWEEN $1 AND $2 AND ((t.at + t.utc_offset * 60000 + 62135596800000) / 86400000) = $3 AND t.seq BETWEEN $4 AND $5 ORDER BY t.at, t.seq

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
SELECT l.name, m.id FROM memory_labels l JOIN memories m ON m.row = l.memory
WHERE l.label = $1 AND m.state = 'active' ORDER BY l.name, l.memory

-- name: keep_counter
INSERT INTO loxodon.counters (name, last) SELECT ?, max({key}) FROM {table} HAVING count(*) > 0
ON CONFLICT (space_id, name) DO UPDATE SET last = max(counters.last, excluded.last)

-- name: keep_id_counters
INSERT INTO loxodon.counters (name, last)
SELECT substr(id, 1, 10), max(CAST(substr(id, 12) AS INTEGER)) FROM memories GROUP BY 1 HAVING true
ON CONFLICT (space_id, name) DO UPDATE SET last = max(counters.last, excluded.last)

-- name: set_counter
INSERT INTO loxodon.counters (name, last) VALUES ($1, $2) ON CONFLICT (space_id, name) DO UPDATE SET last = $2

-- name: labels_between
SELECT memory, label, name FROM memory_labels WHERE memory BETWEEN $1 AND $2 AND label <> 'keyword'

-- name: broken_histories
SELECT id FROM memories m WHERE (version, version) <> (
  SELECT coalesce(max(version), 0), count(*) FROM memory_changes c WHERE c.memory = m.row
  AND (c.version = 1) = (c.before IS NULL) AND json_valid(coalesce(c.before, '{}'))) LIMIT nullif($1, -1)
