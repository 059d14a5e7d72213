-- The audit log as rows: an entry is in the transaction that it tells of (trust/audit/log.py). Whoever stands
-- behind a wall adds to it (`loxodon.past`) and cannot read it.
DROP TABLE loxodon.audit_tail;
CREATE TABLE loxodon.audit (
    space_id bigint NOT NULL DEFAULT loxodon.space() REFERENCES loxodon.spaces (id) ON DELETE CASCADE,
    n bigint NOT NULL,
    entry text NOT NULL COLLATE "C",
    mac bytea NOT NULL,
    PRIMARY KEY (space_id, n)
);
SELECT loxodon.wall_in('audit');
CREATE POLICY own_wall ON loxodon.audit AS RESTRICTIVE USING (loxodon.outside());
