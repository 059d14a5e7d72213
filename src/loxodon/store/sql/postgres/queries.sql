-- The statements that only the PostgreSQL store has, or has in another form.

-- Numbers given out once -----------------------------------------------------------------------------

-- name: counters_of
-- A counter, and those that most writes take from.
SELECT name, last FROM counters
WHERE name = ?1 OR name BETWEEN 'rows_' AND 'rows_~' OR name IN ('turn', 'session', 'memory')

-- name: put_numbers
INSERT INTO counters (name, last) SELECT * FROM unnest(?1::text[], ?2::bigint[])
ON CONFLICT (name) DO UPDATE SET last = excluded.last

-- Full text -----------------------------------------------------------------------------------------

-- name: word_lists
SELECT word, row, times, length FROM words WHERE pool = ?1 AND word = ANY(?2::text[])

-- name: word_begins
SELECT row, times, length FROM words WHERE pool = ?1 AND word >= ?2 AND word < ?3

-- name: row_lengths
SELECT row, length FROM indexed WHERE pool = ?1 AND row = ANY(?2::bigint[])

-- name: put_wordless
INSERT INTO indexed (pool, row, length, words) VALUES (?, ?, 0, '{}')

-- name: put_words
WITH given AS (
  SELECT * FROM unnest(?2::text[], ?3::bigint[], ?4::integer[], ?5::integer[])
    AS listed (word, row, times, length)),
put AS (
  INSERT INTO words (pool, word, row, times, length) SELECT ?1, given.* FROM given)
INSERT INTO indexed (pool, row, length, words)
SELECT ?1, row, max(length), array_agg(word) FROM given GROUP BY row

-- name: drop_indexed
DELETE FROM indexed WHERE pool = ?1 AND row = ANY(?2::bigint[]) RETURNING row, length, words

-- name: drop_words
DELETE FROM words w USING unnest(?2::text[], ?3::bigint[]) AS gone (word, row)
WHERE w.pool = ?1 AND w.word = gone.word AND w.row = gone.row

-- name: word_sums
SELECT word, sum(times)::bigint, sum(times * ((row * ?2) & ?3))::bigint FROM words WHERE pool = ?1
GROUP BY word

-- name: indexed_sizes
SELECT row, length FROM indexed WHERE pool = ?1 AND row BETWEEN ?2 AND ?3

-- Vectors -------------------------------------------------------------------------------------------

-- name: put_vector_model
INSERT INTO vector_models (name, size, turns_to, memories_to, sampled, frame, spread, error)
VALUES (?, 0, 0, 0, 0, '', 1, '') ON CONFLICT DO NOTHING

-- name: sampled_vectors
-- Every ?2nd vector of a model; of turns also what was said, to tell questions from the rest.
SELECT substr(coalesce(t.content, ''), 1, 200), right(coalesce(t.content, ''), 10), v.half
FROM vectors v LEFT JOIN turns t ON v.pool = 'turns' AND t.seq = v.row
WHERE v.model = ?1 AND v.row % ?2 = 0

-- name: put_vector
INSERT INTO vectors (model, pool, row, hash, half) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (model, pool, row) DO UPDATE SET hash = ?4, half = ?5

-- name: vectors_of_rows
SELECT row, half FROM vectors WHERE model = ?1 AND pool = ?2 AND row = ANY(?3::bigint[])

-- How much there is -----------------------------------------------------------------------------------

-- name: space_size
SELECT (SELECT coalesce(sum(pg_column_size(t.*)), 0) FROM turns t)
  + (SELECT coalesce(sum(pg_column_size(m.*)), 0) FROM memories m)
  + (SELECT coalesce(sum(pg_column_size(c.*)), 0) FROM memory_changes c)
  + (SELECT coalesce(sum(pg_column_size(i.*)), 0) FROM indexed i)
