-- The small state of a space and of the home: what is in files beside an SQLite database.
-- A file is the rows of its name, in the order of `start`: each begins where the one before ends.
-- One row is added for each append, so that a log of megabytes is not written anew for a line.

CREATE TABLE loxodon.files (
    space_id bigint NOT NULL DEFAULT loxodon.space() REFERENCES loxodon.spaces (id) ON DELETE CASCADE,
    name text NOT NULL COLLATE "C",
    start bigint NOT NULL,
    data bytea NOT NULL,
    made bigint NOT NULL, -- changes when the file is replaced
    PRIMARY KEY (space_id, name, start)
);

SELECT loxodon.wall_in('files');

-- Tokens, rules, the master key and the heads of the audit logs are of no space.
CREATE TABLE loxodon.home_files (
    name text NOT NULL COLLATE "C",
    start bigint NOT NULL,
    data bytea NOT NULL,
    made bigint NOT NULL,
    PRIMARY KEY (name, start)
);
