-- Live: the work of the background, and what a heartbeat looks for.

-- What ran by itself: the last run of each job, and the last that went wrong.
CREATE TABLE jobs (
  name         TEXT PRIMARY KEY, -- 'flush', 'daily', 'weekly', 'profile' or 'heartbeat'
  last_at      INTEGER NOT NULL,
  seconds      REAL NOT NULL,    -- what the last run took
  counts       TEXT NOT NULL,    -- JSON: what the last that succeeded did, in numbers
  succeeded_at INTEGER,
  failed_at    INTEGER,
  error        TEXT NOT NULL,    -- why it failed then
  failures     INTEGER NOT NULL, -- runs that failed since the last that succeeded
  runs         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Plans that are not done, by when they are due.
CREATE INDEX memories_by_due ON memories (due_at)
  WHERE due_at IS NOT NULL AND done = 0 AND state = 'active';

-- What is only supposed, by when it was last touched; and what matters.
CREATE INDEX memories_supposed ON memories (category, updated_at)
  WHERE kind = 'belief' AND state = 'active';
CREATE INDEX memories_that_matter ON memories (category)
  WHERE kind = 'fact' AND state = 'active' AND importance >= 0.7;
