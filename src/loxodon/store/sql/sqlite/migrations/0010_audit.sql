-- The audit log as rows: an entry is in the transaction that it tells of (trust/audit/log.py).
DROP TABLE audit_tail;
CREATE TABLE audit (
  n     INTEGER PRIMARY KEY,
  entry TEXT NOT NULL,           -- JSON: who, when, what, about which ids
  mac   BLOB NOT NULL            -- of this entry and the mac of the one before
) STRICT;
