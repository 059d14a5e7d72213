-- The statements that only the PostgreSQL store has.

-- Full text -----------------------------------------------------------------------------------------

-- name: word_lists
SELECT word, block, postings FROM words
WHERE pool = $1 AND word = ANY($2::text[]) AND block BETWEEN $3 AND $4

-- name: word_begins
SELECT block, postings FROM words WHERE pool = $1 AND word >= $2 AND word < $3 AND block BETWEEN $4 AND $5

-- name: word_lists_begun
-- The first $3 blocks of each word: every block has a row.
SELECT x.word, w.block, w.postings FROM unnest($2::text[]) AS x (word) JOIN LATERAL (
  SELECT block, postings FROM words WHERE pool = $1 AND word = x.word ORDER BY block LIMIT $3) w ON true

-- name: put_words
-- What a block has is added to; each row of it is put once.
INSERT INTO loxodon.words (pool, word, block, postings)
SELECT $1, word, $3, postings FROM unnest($2::text[], $4::bytea[]) AS given (word, postings)
ON CONFLICT (space_id, pool, word, block) DO UPDATE SET postings = words.postings || excluded.postings

-- name: set_words
UPDATE loxodon.words w SET postings = given.postings
FROM unnest($2::text[], $4::bytea[]) AS given (word, postings)
WHERE w.pool = $1 AND w.word = given.word AND w.block = $3

-- name: drop_words
DELETE FROM loxodon.words WHERE pool = $1 AND word = ANY($2::text[]) AND block = $3

-- name: put_indexed
INSERT INTO loxodon.indexed (pool, row, length, words)
SELECT $1, * FROM unnest($2::bigint[], $3::integer[], $4::text[])

-- name: drop_indexed
DELETE FROM loxodon.indexed WHERE pool = $1 AND row = ANY($2::bigint[]) RETURNING row, length, words

-- name: row_lengths
SELECT row, length FROM indexed WHERE pool = $1 AND row = ANY($2::bigint[])

-- name: last_indexed
SELECT row FROM indexed WHERE pool = $1 ORDER BY row DESC LIMIT 1


-- How much there is -----------------------------------------------------------------------------------

-- name: space_size
SELECT (SELECT coalesce(sum(pg_column_size(t.*)), 0) FROM turns t)
  + (SELECT coalesce(sum(pg_column_size(m.*)), 0) FROM memories m)
  + (SELECT coalesce(sum(pg_column_size(c.*)), 0) FROM memory_changes c)
  + (SELECT coalesce(sum(pg_column_size(i.*)), 0) FROM indexed i)

-- name: clear_words
DELETE FROM loxodon.words

-- name: clear_indexed
DELETE FROM loxodon.indexed
