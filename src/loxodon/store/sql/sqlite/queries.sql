-- The statements that only the SQLite store has. One whose name ends in `/walled` stands in for the other
-- where views stand before the tables: a view has no index that it could be told to use.

-- part: index_of_table
-- The index leads and the table is looked up for each match: led by the table, SQLite would run the
-- full-text query once for every row of it.
{index} CROSS JOIN {table} t ON t.{key} = {index}.rowid

-- name: word_rows
SELECT j.value, (SELECT json_group_array(w.doc) FROM {index}_words w WHERE w.term = j.value)
FROM json_each(?) j

-- name: word_rows_begun
SELECT json_group_array(doc) FROM {index}_words WHERE term >= ? AND term < ?

-- name: matches
SELECT (SELECT json_group_array(row) FROM (
  SELECT rowid AS row FROM {index} WHERE {index} MATCH j.value LIMIT ?2))
FROM json_each(?1) j

-- name: matches_seen
SELECT (SELECT json_group_array(row) FROM (
  SELECT {index}.rowid AS row FROM {index_of_table} WHERE {index} MATCH j.value LIMIT ?2))
FROM json_each(?1) j

-- name: ranked
SELECT rowid, bm25({index}) AS s FROM {index} WHERE {index} MATCH ? AND {where}
ORDER BY s, rowid DESC LIMIT ?

-- name: ranked_seen
SELECT {index}.rowid, bm25({index}) AS s FROM {index_of_table} WHERE {index} MATCH ? AND {where}
ORDER BY s, {index}.rowid DESC LIMIT ?

-- name: newest
SELECT rowid FROM {index} WHERE {index} MATCH ? AND {where} ORDER BY rowid DESC LIMIT ?

-- name: newest_seen
SELECT {index}.rowid FROM {index_of_table} WHERE {index} MATCH ? AND {where}
ORDER BY {index}.rowid DESC LIMIT ?

-- part: indexed_between
{index}.rowid BETWEEN ? AND ?

-- name: index_lengths
SELECT id, sz FROM {index}_docsize WHERE id IN (SELECT value FROM json_each(?))

-- name: indexed_of
SELECT id FROM {index}_docsize WHERE id IN (SELECT value FROM json_each(?))

-- name: index_size
SELECT block FROM {index}_data WHERE id = 1

-- name: put_indexed
INSERT INTO main.{index} (rowid, words) VALUES (?, ?)

-- name: drop_indexed
DELETE FROM main.{index} WHERE rowid = ?

-- name: merge_index
INSERT INTO main.{index} ({index}, rank) VALUES ('merge', ?)

-- name: optimize_index
INSERT INTO main.{index} ({index}) VALUES ('optimize')

-- name: set_up_index
INSERT INTO main.{index} ({index}, rank) VALUES ('automerge', 16), ('secure-delete', 1)

-- name: definition
SELECT sql FROM sqlite_schema WHERE name = ?

-- name: drop_definition
DELETE FROM sqlite_schema WHERE name = ?

-- name: page_due/walled
SELECT t.due_at, t.row, t.row, {memory} FROM memories t
WHERE t.due_at IS NOT NULL AND t.done = 0 AND t.state = 'active' AND {where}
ORDER BY t.due_at, t.row LIMIT ?

-- name: past_due/walled
SELECT row FROM memories WHERE due_at IS NOT NULL AND done = 0 AND state = 'active' AND due_at <= ?
ORDER BY due_at, row LIMIT ?

-- name: supposed/walled
SELECT row FROM memories WHERE kind = 'belief' AND state = 'active' AND category = ? AND updated_at < ?
ORDER BY updated_at, row LIMIT ?

-- name: mattering/walled
SELECT row FROM memories m WHERE kind = 'fact' AND state = 'active' AND importance >= 0.7
  AND EXISTS (SELECT 1 FROM json_each(?1) c WHERE c.value = category)
  AND max(coalesce(confirmed_at, 0), created_at) < ?2
  AND NOT EXISTS (SELECT 1 FROM reviews r WHERE r.belief = m.row AND r.asked_at >= ?2)
ORDER BY importance DESC, row LIMIT ?3

-- name: reindex
REINDEX
