-- Pages: every list is read a page at a time, each in the order of an index (store/pages.py).
CREATE INDEX memories_by_state ON loxodon.memories (space_id, state, created_at, row);
CREATE INDEX segments_by_time ON loxodon.segments (space_id, started_at, no);
CREATE INDEX receipts_by_time ON loxodon.receipts (space_id, at, id);
DROP INDEX loxodon.events_by_date;
CREATE INDEX events_by_date ON loxodon.events (space_id, date, at, no);
DROP INDEX loxodon.reviews_open;
CREATE INDEX reviews_open ON loxodon.reviews (space_id, asked_at, belief) WHERE answer = '';
DROP INDEX loxodon.memories_by_due;
CREATE INDEX memories_by_due ON loxodon.memories (space_id, due_at, row)
  WHERE due_at IS NOT NULL AND done = 0 AND state = 'active';
