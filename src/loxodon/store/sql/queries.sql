-- Every fixed statement of a store that is the same for all backends, by name; what is a backend's
-- own is in its folder. Those with filters or lists of rows are put together in the modules of `store/`. The SQL
-- is SQLite's, without what PostgreSQL would take otherwise; store/postgres/dialect.py does the rest.

-- Numbers given out once -------------------------------------------------------------------------

-- name: take_numbers
-- The last of :count numbers taken from a counter that starts at 1.
INSERT INTO counters (name, last) VALUES (?1, ?2)
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
INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2

-- The audit log -----------------------------------------------------------------------------------

-- name: put_audit
INSERT INTO main.audit (n, entry, mac) VALUES (?, ?, ?)

-- name: last_audit
SELECT n, entry, mac FROM main.audit ORDER BY n DESC LIMIT 1

-- name: audit_after
SELECT n, entry, mac FROM main.audit WHERE n > ? ORDER BY n LIMIT ?

-- name: audit_before
SELECT n, entry, mac FROM main.audit WHERE n < ? ORDER BY n DESC LIMIT ?

-- name: prune_audit
DELETE FROM main.audit WHERE n < ?

-- The journal -------------------------------------------------------------------------------------

-- name: session
-- Of the table itself: a number must not be given out twice, whoever asks.
SELECT no, turns, first_at, last_at FROM main.sessions WHERE id = ?

-- name: put_session
-- It has no turn yet that could be seen, or more than can be.
INSERT INTO main.sessions (no, id, turns, first_at, last_at) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (no) DO UPDATE SET turns = ?3, first_at = ?4, last_at = ?5

-- name: put_turn
INSERT INTO turns
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
INSERT INTO memory_labels (label, name, memory) VALUES (?, ?, ?) ON CONFLICT DO NOTHING

-- name: drop_labels
DELETE FROM memory_labels WHERE memory = ? AND label <> 'keyword'

-- name: put_source
-- With the row of the turn by the names that people know it by; the newest, should two share them.
INSERT INTO memory_sources (memory, n, session, turn, seq, file, line)
VALUES (?1, ?2, ?3, ?4, (SELECT t.seq FROM sessions s JOIN turns t ON t.session = s.no
  WHERE s.id = ?3 AND t.id = ?4 ORDER BY t.seq DESC LIMIT 1), ?5, ?6)

-- name: drop_sources
-- Those too that cannot be seen: others take their places.
DELETE FROM main.memory_sources WHERE memory = ?

-- name: put_change
INSERT INTO memory_changes (memory, version, at, change, before) VALUES (?, ?, ?, ?, ?)

-- name: changes
SELECT version, at, change, before FROM memory_changes WHERE memory = ? ORDER BY version

-- How much there is -------------------------------------------------------------------------------

-- name: count_journal
SELECT (SELECT count(*) FROM turns), (SELECT count(*) FROM sessions)

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
DELETE FROM common_words WHERE name = ?

-- name: put_common_word
INSERT INTO common_words (name, word, share) VALUES (?, ?, ?)


-- Consolidation: the work log ----------------------------------------------------------------------

-- name: counters
SELECT name, last FROM counters WHERE name LIKE 'rows\_%' ESCAPE '\'

-- name: count_topics
-- Stepping from one topic to the next, so that the cost is that of the topics, not the memories.
WITH RECURSIVE topics (name) AS (
  SELECT min(name) FROM memory_labels WHERE label = 'topic'
  UNION ALL
  SELECT (SELECT min(name) FROM memory_labels WHERE label = 'topic' AND name > topics.name)
  FROM topics WHERE topics.name IS NOT NULL
)
SELECT count(name) FROM topics

-- name: count_pending
SELECT (SELECT count(*) FROM turns WHERE seq > ? AND channel <> ?)
  + (SELECT count(*) FROM fragments WHERE stage = 'again')

-- name: put_segment
INSERT INTO segments (no, session, first_turn, last_turn, started_at, ended_at, utc_offset, topic, tags, text)
VALUES (?, (SELECT no FROM sessions WHERE id = ?), ?, ?, ?, ?, ?, ?, ?, ?)

-- name: put_fragment
INSERT INTO fragments (turn, n, text, type, stage, keep, about, bonus, reason)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
ON CONFLICT (turn, n) DO UPDATE
SET text = ?3, type = ?4, stage = ?5, keep = ?6, about = ?7, bonus = ?8, reason = ?9

-- name: wait
UPDATE fragments SET stage = 'waiting', bonus = ? WHERE turn = ? AND n = ?

-- name: put_off
UPDATE fragments SET keep = coalesce(keep, 0) + 1 WHERE turn = ? AND n = ? AND stage = 'waiting'

-- name: drop_waiting
DELETE FROM fragments WHERE turn = ? AND n = ? AND stage = 'waiting'

-- name: put_event
INSERT INTO events (date, at, session, channel, sender, summary, tokens, trust, compressed, agent)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: put_entity
INSERT INTO entities (no, name, type, aliases, created_at, updated_at, agent)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT (no) DO UPDATE SET name = ?2, type = ?3, aliases = ?4, updated_at = ?6

-- name: put_entity_name
-- A name that leads to someone else already stays with them.
INSERT INTO entity_names (agent, name, entity) VALUES (?, ?, ?) ON CONFLICT DO NOTHING

-- name: put_review
-- What was answered before may be asked anew.
INSERT INTO reviews (belief, against, asked_at, answer)
SELECT b.row, a.row, ?3, '' FROM memories b, memories a WHERE b.id = ?1 AND a.id = ?2
ON CONFLICT (belief) DO UPDATE SET against = excluded.against, asked_at = excluded.asked_at,
  answer = '', answered_at = NULL WHERE reviews.answer <> ''

-- name: open_reviews
SELECT r.belief, r.against, r.asked_at
FROM reviews r JOIN memories b ON b.row = r.belief JOIN memories a ON a.row = r.against
WHERE r.answer = '' AND b.state = 'active' AND a.state = 'active' ORDER BY r.asked_at, r.belief

-- name: answer_review
UPDATE reviews SET answer = ?, answered_at = ?
WHERE answer = '' AND belief = (SELECT row FROM memories WHERE id = ?)

-- name: ended
SELECT id FROM memories WHERE state = 'active' AND ends_at <= ? ORDER BY ends_at LIMIT ?

-- name: said_at
SELECT max(at) FROM turns WHERE seq > ? AND at > ? AND at <= ? GROUP BY at / 86400000 ORDER BY 1

-- name: misdated
SELECT m.id, m.strength, m.strength_at FROM (
  SELECT +memory AS memory FROM memory_changes WHERE at < ?1 UNION
  SELECT +memory FROM memory_changes WHERE at > ?2
) c CROSS JOIN memories m ON m.row = c.memory

-- name: aged_runs
SELECT at, count(*) FILTER (WHERE change = 'faded'), count(*) FILTER (WHERE change = 'expired')
FROM memory_changes
WHERE change IN ('faded', 'expired') GROUP BY at ORDER BY at DESC LIMIT ?

-- name: aged_in
SELECT m.id FROM memory_changes c
JOIN memories m ON m.row = c.memory AND m.version = c.version
WHERE c.at = ? AND c.change IN ('faded', 'expired') AND m.state = 'archived' ORDER BY m.row

-- name: put_use
INSERT INTO memory_uses (memory, day, times, last_at) VALUES (?1, ?2, 1, ?3)
ON CONFLICT (memory, day) DO UPDATE SET times = memory_uses.times + 1, last_at = max(memory_uses.last_at, ?3)

-- name: used
SELECT m.id, count(*), sum(u.times), max(u.last_at)
FROM memory_uses u CROSS JOIN memories m ON m.row = u.memory
GROUP BY u.memory, m.id ORDER BY u.memory

-- name: unindexed
SELECT memory FROM unindexed ORDER BY memory LIMIT ?

-- name: last_changed
SELECT memory FROM unindexed ORDER BY memory DESC LIMIT ?

-- name: put_unindexed
INSERT INTO unindexed (memory) VALUES (?) ON CONFLICT DO NOTHING

-- name: drop_keywords
DELETE FROM memory_labels WHERE memory = ? AND label = 'keyword'

-- name: changes_since
SELECT m.id, c.change, c.at FROM memory_changes c JOIN memories m ON m.row = c.memory
WHERE c.at >= ? ORDER BY c.at DESC, c.memory DESC, c.version DESC LIMIT ?

-- name: partitions
SELECT project, topic, count(*) FROM memories WHERE state = 'active' AND kind = 'fact'
GROUP BY project, topic HAVING count(*) >= ? ORDER BY project, topic

-- name: of_category
SELECT row FROM memories WHERE state = 'active' AND category = ? ORDER BY row

-- name: page
SELECT text, basis, made_at FROM pages WHERE name = ? AND language = ?

-- name: put_page
INSERT INTO pages (name, language, made_at, text, basis) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (name, language) DO UPDATE SET made_at = ?3, text = ?4, basis = ?5

-- name: spend
INSERT INTO model_use (day, phase, calls, tokens_in, tokens_out) VALUES (?1, ?2, 1, ?3, ?4)
ON CONFLICT (day, phase) DO UPDATE
SET calls = model_use.calls + 1, tokens_in = model_use.tokens_in + ?3,
  tokens_out = model_use.tokens_out + ?4

-- name: spent
SELECT coalesce(sum(tokens_in + tokens_out), 0) FROM model_use WHERE day = ?

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
    t.created_at), t.updated_at
FROM memories t WHERE +t.state = 'active' AND t.kind <> 'summary'

-- name: ties_then
-- What had been said by then, and was neither over nor gone.
SELECT * FROM (
  SELECT t.id, t.subject, t.attribute, t.value, t.entities, t.project, t.strength, t.strength_at,
    t.kind, t.importance, coalesce(
      (SELECT min(u.at) FROM memory_sources s JOIN turns u ON u.seq = s.seq WHERE s.memory = t.row),
      t.created_at) AS said_at, t.updated_at
  FROM memories t WHERE t.kind <> 'summary'
    AND (t.state = 'active' OR coalesce(t.valid_until, t.updated_at) > ?1)
) WHERE said_at < ?1

-- name: label_uses
SELECT l.name, count(*), max(l.memory) FROM memory_labels l JOIN memories m ON m.row = l.memory
WHERE l.label = ? AND m.state = 'active' GROUP BY l.name ORDER BY 2 DESC, l.name LIMIT ?

-- name: made_from
-- The second is the id as JSON has it in a list.
SELECT row FROM memories WHERE replaces = ?1 AND replaces <> ''
UNION
SELECT row FROM memories WHERE derived_from <> '[]' AND instr(derived_from, ?2) > 0
ORDER BY row

-- name: memory_strength
SELECT row, strength, strength_at, kind, importance, state, agent, audience FROM memories
WHERE id = ?

-- Vectors -----------------------------------------------------------------------------------------

-- name: vector_model
SELECT no, size, turns_to, memories_to, chunks_to, sampled, error, frame, spread
FROM vector_models WHERE name = ?

-- name: vector_models
SELECT no, name FROM vector_models ORDER BY no

-- name: put_vector_model
INSERT INTO vector_models (name, size, turns_to, memories_to, sampled, frame, spread, error)
VALUES (?, 0, 0, 0, 0, ?, 1, '') ON CONFLICT DO NOTHING

-- name: set_vector_frame
UPDATE vector_models SET sampled = ?, frame = ?, spread = ? WHERE no = ?

-- name: set_vector_size
UPDATE vector_models SET size = ? WHERE no = ? AND size = 0

-- name: set_vector_error
UPDATE vector_models SET error = ? WHERE name = ? AND error <> ?1

-- name: count_vectors
SELECT count(*) FROM vectors WHERE model = ?

-- name: next_memories
SELECT row FROM memories m WHERE row > ?2 AND NOT EXISTS (
  SELECT 1 FROM vectors v WHERE v.row = m.row AND v.pool IN ('memories', 'archive') AND v.model = ?1)
ORDER BY row LIMIT ?3

-- name: next_turns
SELECT seq FROM turns t WHERE seq > ?2 AND NOT EXISTS (
  SELECT 1 FROM vectors v WHERE v.row = t.seq AND v.pool = 'turns' AND v.model = ?1)
ORDER BY seq LIMIT ?3

-- name: next_chunks
SELECT no FROM chunks c WHERE no > ?2 AND NOT EXISTS (
  SELECT 1 FROM vectors v WHERE v.row = c.no AND v.pool = 'chunks' AND v.model = ?1)
ORDER BY no LIMIT ?3

-- name: advance_memories
UPDATE vector_models SET memories_to = max(memories_to, ?) WHERE name = ?

-- name: advance_turns
UPDATE vector_models SET turns_to = max(turns_to, ?) WHERE name = ?

-- name: advance_chunks
UPDATE vector_models SET chunks_to = max(chunks_to, ?) WHERE name = ?

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
INSERT INTO vector_todo (model, kind, row, tries, error)
SELECT no, 'turns', ?1, 0, '' FROM vector_models WHERE turns_to >= ?1
ON CONFLICT DO NOTHING

-- name: queue_memory
-- A memory has to be embedded again by every model that has come past it.
INSERT INTO vector_todo (model, kind, row, tries, error)
SELECT no, 'memories', ?1, 0, '' FROM vector_models WHERE memories_to >= ?1
ON CONFLICT (model, kind, row) DO UPDATE SET tries = 0, error = ''

-- name: fail_vector
INSERT INTO vector_todo (model, kind, row, tries, error) VALUES (?, ?, ?, 1, ?)
ON CONFLICT (model, kind, row) DO UPDATE SET tries = vector_todo.tries + 1, error = excluded.error

-- name: vector_todo
SELECT kind, row FROM vector_todo WHERE model = ? AND tries < ? ORDER BY kind, row

-- name: settle_vector
DELETE FROM vector_todo WHERE model = ? AND kind = ? AND row = ?

-- name: count_vector_todo
SELECT count(*), count(*) FILTER (WHERE tries > 0), coalesce(max(error), '')
FROM vector_todo WHERE model = ?

-- name: drop_vector_todo
DELETE FROM vector_todo WHERE kind = ? AND row IN (SELECT value FROM json_each(?))

-- name: put_vector
INSERT INTO vectors (model, pool, row, hash, half) VALUES (?, ?, ?, ?, ?)

-- name: move_vector
UPDATE vectors SET pool = ?1 WHERE row = ?2 AND pool IN ('memories', 'archive')

-- name: drop_vectors
DELETE FROM vectors WHERE pool IN (?1, ?2) AND row IN (SELECT value FROM json_each(?3))

-- name: drop_model_vectors
DELETE FROM vectors
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
DELETE FROM vectors WHERE
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
INSERT INTO vector_signs (model, pool, block, version)
SELECT DISTINCT v.model, v.pool, v.row / 1024, CAST(?1 AS bigint) FROM vectors v
WHERE v.pool IN (?2, ?3) AND v.row IN (SELECT value FROM json_each(?4))
ON CONFLICT (model, pool, block) DO UPDATE
SET version = excluded.version, rows = excluded.rows, bits = excluded.bits

-- name: empty_all_signs
INSERT INTO vector_signs (model, pool, block, version)
SELECT DISTINCT v.model, v.pool, v.row / 1024, CAST(?2 AS bigint) FROM vectors v WHERE v.model = ?1

-- name: drop_all_signs
DELETE FROM vector_signs WHERE model = ?

-- name: emptied_signs
SELECT pool, block FROM vector_signs WHERE model = ? AND length(bits) = 0

-- name: put_signs
UPDATE vector_signs SET rows = ?4, bits = ?5 WHERE model = ?1 AND pool = ?2 AND block = ?3

-- name: drop_signs
DELETE FROM vector_signs WHERE model = ? AND pool = ? AND block = ?

-- name: all_signs
SELECT pool, block, rows, bits FROM vector_signs WHERE model = ? AND length(rows) > 0

-- name: count_unsigned_vectors
SELECT count(*) FROM vectors v WHERE v.model = ? AND NOT EXISTS (
  SELECT 1 FROM vector_signs s
  WHERE s.model = v.model AND s.pool = v.pool AND s.block = v.row / 1024)

-- The workspace: files, marks, imports ----------------------------------------------------------------

-- name: source_file
SELECT no, role FROM source_files WHERE root = ? AND path = ?

-- name: put_source_file
INSERT INTO source_files (no, root, path, role, size, mtime, hash, read_at, problem)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
ON CONFLICT (no) DO UPDATE
SET role = ?4, size = ?5, mtime = ?6, hash = ?7, read_at = ?8, problem = ?9

-- name: chunk_counts
SELECT f.root, f.path, count(*) FROM chunk_places p JOIN source_files f ON f.no = p.file
GROUP BY f.no, f.root, f.path

-- name: put_chunk
INSERT INTO chunks (no, hash, text) VALUES (?, ?, ?)

-- name: put_place
INSERT INTO chunk_places (file, n, chunk, first_line, last_line, heading, at, type, importance, project, triggers)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: places_of
SELECT chunk, heading, project, triggers FROM chunk_places WHERE file = ?

-- name: dated_chunks
SELECT chunk FROM chunk_places WHERE at >= ? AND at < ? GROUP BY chunk
ORDER BY max(at) DESC, chunk DESC LIMIT ?

-- name: mark
SELECT mark FROM followed WHERE path = ? AND session = ?

-- name: marks
SELECT session, mark FROM followed WHERE path = ? ORDER BY session

-- name: set_mark
INSERT INTO followed (path, session, mark, read_at) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (path, session) DO UPDATE SET mark = ?3, read_at = ?4

-- name: put_import
-- What was imported stays with the memory that it first became.
INSERT INTO imports (key, memory, at) SELECT ?1, row, ?2 FROM memories WHERE id = ?3
ON CONFLICT DO NOTHING

-- The background -----------------------------------------------------------------------------------

-- name: jobs
SELECT name, last_at, seconds, counts, succeeded_at, failed_at, error, failures, runs FROM jobs

-- name: put_job
INSERT INTO jobs
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
INSERT INTO documents (no, namespace, key, value, text, created_at, updated_at, minutes, expires_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: document_named
SELECT no FROM documents WHERE namespace = ? AND key = ?

-- name: document_ended
SELECT no FROM documents WHERE expires_at <= ? ORDER BY expires_at LIMIT ?

-- name: document_put_off
UPDATE documents SET expires_at = ? WHERE no = ?

-- Working sessions ---------------------------------------------------------------------------------

-- name: working_session
SELECT entry FROM working_sessions WHERE owner = ? AND key = ?

-- name: working_sessions
SELECT owner, key, entry FROM working_sessions ORDER BY owner, key

-- name: put_working_session
INSERT INTO working_sessions (owner, key, entry) VALUES (?1, ?2, ?3)
ON CONFLICT (owner, key) DO UPDATE SET entry = ?3

-- name: drop_working_session
DELETE FROM working_sessions WHERE owner = ? AND key = ?

-- name: transcripts
SELECT session, min(owner) FROM transcript_lines GROUP BY session ORDER BY session

-- name: transcript_lines
SELECT n, line FROM transcript_lines WHERE session = ? AND n > ? ORDER BY n

-- name: put_transcript_line
INSERT INTO transcript_lines (session, n, owner, line) VALUES (?, ?, ?, ?)

-- name: set_transcript_line
UPDATE transcript_lines SET line = ? WHERE session = ? AND n = ?

-- The quarantine -----------------------------------------------------------------------------------

-- name: put_quarantine
INSERT INTO quarantine
  (no, turn, memory, start, stop, text, reason, origin, at, state, decided_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: quarantine_of_memory
-- Until then it is of nothing that could be seen.
UPDATE main.quarantine SET memory = ? WHERE no = ?

-- name: decide_quarantine
UPDATE quarantine SET state = ?, decided_at = ?, text = ? WHERE no = ?

-- name: unscreened
SELECT seq FROM turns WHERE seq <= ? ORDER BY seq DESC LIMIT ?

-- Signatures ---------------------------------------------------------------------------------------

-- name: put_signature
INSERT INTO signatures (memory, version, mac) VALUES (?1, ?2, ?3)
ON CONFLICT (memory, version) DO UPDATE SET mac = ?3

-- Those that are sensitive, and those that were while something was signed.
-- name: signed_memories
SELECT row FROM main.memories WHERE sensitivity <> ?
UNION SELECT memory FROM signatures ORDER BY 1

-- name: signed_changes
SELECT c.version, c.change, c.at, s.mac, c.before FROM main.memory_changes c
LEFT JOIN main.signatures s ON s.memory = c.memory AND s.version = c.version
WHERE c.memory = ? ORDER BY c.version
