-- Working sessions (working/): for each key where its conversation stands, and every transcript, line by line.
CREATE TABLE working_sessions (
  owner TEXT NOT NULL,           -- '' or whoever is behind a wall (walls.py, `Wall.mark`)
  key   TEXT NOT NULL,
  entry TEXT NOT NULL,           -- JSON: its transcript, compactions, tokens
  PRIMARY KEY (owner, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE transcript_lines (
  session TEXT NOT NULL,         -- the id of the transcript
  n       INTEGER NOT NULL,      -- from 1
  owner   TEXT NOT NULL,
  line    TEXT NOT NULL,         -- JSON
  PRIMARY KEY (session, n)
) STRICT, WITHOUT ROWID;
