-- What tells a write by, once its connection was lost with its COMMIT: the marks of the last ones, the
-- newest first. Its number would not do: after a crash it may be given out again.
ALTER TABLE loxodon.spaces ADD recent text COLLATE "C" NOT NULL DEFAULT '';
