-- Every fixed statement of the SQLite store, by name. Those with filters or lists of rows are put
-- together in sqlite.py and search.py.

-- Numbers given out once -------------------------------------------------------------------------

-- name: take_numbers
-- The last of :count numbers taken from a counter that starts at 1.
INSERT INTO counters (name, last) VALUES (?1, ?2)
ON CONFLICT (name) DO UPDATE SET last = last + ?2
RETURNING last

-- name: counter
SELECT last FROM counters WHERE name = ?

-- name: get_meta
SELECT value FROM meta WHERE name = ?

-- name: set_meta
INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2

-- The journal -------------------------------------------------------------------------------------

-- name: session
SELECT no, turns, first_at, last_at FROM sessions WHERE id = ?

-- name: put_session
INSERT INTO sessions (no, id, turns, first_at, last_at) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (no) DO UPDATE SET turns = ?3, first_at = ?4, last_at = ?5

-- name: put_turn
INSERT INTO turns (seq, session, id, key, role, speaker, channel, chat, origin, at, utc_offset, content)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: turn_row
-- The row of a turn by the names that people know it by; the newest, should two share them.
SELECT t.seq FROM sessions s JOIN turns t ON t.session = s.no WHERE s.id = ? AND t.id = ?
ORDER BY t.seq DESC LIMIT 1

-- Memories ----------------------------------------------------------------------------------------

-- name: memory_row
SELECT row FROM memories WHERE id = ?

-- name: put_label
INSERT OR IGNORE INTO memory_labels (label, name, memory) VALUES (?, ?, ?)

-- name: drop_labels
DELETE FROM memory_labels WHERE memory = ?

-- name: put_source
INSERT INTO memory_sources (memory, n, session, turn, seq, file, line) VALUES (?, ?, ?, ?, ?, ?, ?)

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
