-- Pages: every list is read a page at a time, each in the order of an index (store/pages.py).
CREATE INDEX memories_by_state ON memories (state, created_at);
CREATE INDEX segments_by_time ON segments (started_at);
CREATE INDEX receipts_by_time ON receipts (at);
DROP INDEX events_by_date;
CREATE INDEX events_by_date ON events (date, at);
