-- The statements that only the SQLite store has: vectors in blocks.

-- name: put_vector_model
INSERT INTO vector_models (name, size, turns_to, memories_to, sampled, frame, spread, error)
VALUES (?, 0, 0, 0, 0, zeroblob(0), 1, '') ON CONFLICT DO NOTHING

-- name: sampled_vectors
-- Every ?2nd vector of a model; of turns also what was said, to tell questions from the rest.
SELECT substr(coalesce(t.content, ''), 1, 200), substr(coalesce(t.content, ''), -10), v.half
FROM vectors v LEFT JOIN turns t ON v.pool = 'turns' AND t.seq = v.row
WHERE v.model = ?1 AND v.slot % ?2 = 0

-- name: blocks
SELECT no FROM vector_blocks WHERE model = ? AND pool = ? ORDER BY no

-- name: changed_blocks
SELECT no FROM vector_blocks WHERE model = ? AND pool = ? AND changed > ? ORDER BY no

-- name: bits
SELECT rows, bits FROM vector_bits WHERE block = ?

-- name: last_block
SELECT no, used FROM vector_blocks WHERE model = ? AND pool = ? ORDER BY no DESC LIMIT 1

-- name: put_block
INSERT INTO vector_blocks (no, model, pool, used, changed) VALUES (?, ?, ?, 0, ?)

-- name: put_bits
INSERT INTO vector_bits (block, rows, bits) VALUES (?, zeroblob(?), zeroblob(?))

-- name: use_block
UPDATE vector_blocks SET used = max(used, ?), changed = ? WHERE no = ?

-- name: put_vector
INSERT INTO vectors (slot, model, pool, row, hash, half) VALUES (?, ?, ?, ?, ?, ?)

-- name: vectors_of_memory
SELECT v.slot, v.model, m.size FROM vectors v JOIN vector_models m ON m.no = v.model
WHERE v.row = ? AND v.pool IN ('memories', 'archive')

