-- Documents: what programs keep beside the memories, exactly as they handed it in.

CREATE TABLE documents (
  no         INTEGER PRIMARY KEY, -- the number of its last change: a higher one is newer
  namespace  TEXT NOT NULL,       -- its names, each with a '/' behind it
  key        TEXT NOT NULL,
  value      TEXT NOT NULL,       -- JSON
  text       TEXT NOT NULL,       -- what it is found by
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  minutes    REAL,                -- how long it is kept after it was last wanted; NULL for good
  expires_at INTEGER,
  UNIQUE (namespace, key)
) STRICT;
CREATE INDEX documents_by_change ON documents (namespace, no);
CREATE INDEX documents_by_end ON documents (expires_at) WHERE expires_at IS NOT NULL;

CREATE VIRTUAL TABLE document_index USING fts5(
  words, content='', contentless_delete=1, tokenize='ascii');
INSERT INTO document_index (document_index, rank) VALUES ('automerge', 16), ('secure-delete', 1);
