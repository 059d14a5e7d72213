-- The list of a word in blocks, one for each 512 rows (store/postgres/fulltext.py): a row of its own
-- for each place took most of a database's room, and most of the time of a write.
--
-- A b-tree, not GIN: equality of numbers and text is leakproof, so that it is an index condition
-- below row-level security, and a list is found without meeting those of other spaces.

ALTER TABLE loxodon.words RENAME TO words_before;
ALTER TABLE loxodon.words_before NO FORCE ROW LEVEL SECURITY;
ALTER INDEX loxodon.words_pkey RENAME TO words_before_pkey;

CREATE TABLE loxodon.words (
  space_id bigint NOT NULL DEFAULT loxodon.space(),
  pool     smallint NOT NULL,
  block    integer NOT NULL,
  word     text COLLATE "C" NOT NULL,
  postings bytea NOT NULL,         -- of each row: its place (2 bytes), times (4), words of the row (4)
  PRIMARY KEY (space_id, pool, word, block)
) WITH (fillfactor = 80);          -- most blocks grow

INSERT INTO loxodon.words
SELECT space_id, pool, (row / 512)::integer, word,
  string_agg(int2send((row % 512)::smallint) || int4send(times) || int4send(length), ''::bytea ORDER BY row)
FROM loxodon.words_before GROUP BY space_id, pool, word, row / 512
ORDER BY space_id, pool, word, row / 512;

DROP TABLE loxodon.words_before;
SELECT loxodon.wall_in('words');

-- The words of a row, with a space between two.
ALTER TABLE loxodon.indexed ALTER words TYPE text COLLATE "C" USING array_to_string(words, ' ');
