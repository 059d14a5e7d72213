-- The end of the audit log, as long as it may not be on disk: a write is synced once, with the
-- database, and a power cut that takes lines of the log finds them here (trust/audit/log.py).

CREATE TABLE audit_tail (
  file  INTEGER NOT NULL,        -- of the log
  at    INTEGER NOT NULL,        -- where in it these lines begin, in bytes
  lines BLOB NOT NULL,
  PRIMARY KEY (file, at)
) STRICT, WITHOUT ROWID;
