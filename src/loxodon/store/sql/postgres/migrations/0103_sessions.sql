-- Working sessions (working/): for each key where its conversation stands, and every transcript, line by line.
-- Whoever stands behind a wall has sessions of their own and sees no others, not even those of the same agent
-- in a chat that others hear.
CREATE TABLE loxodon.working_sessions (
    space_id bigint NOT NULL DEFAULT loxodon.space() REFERENCES loxodon.spaces (id) ON DELETE CASCADE,
    owner text NOT NULL COLLATE "C",
    key text NOT NULL COLLATE "C",
    entry text NOT NULL COLLATE "C",
    PRIMARY KEY (space_id, owner, key)
);
CREATE TABLE loxodon.transcript_lines (
    space_id bigint NOT NULL DEFAULT loxodon.space() REFERENCES loxodon.spaces (id) ON DELETE CASCADE,
    session text NOT NULL COLLATE "C",
    n bigint NOT NULL,
    owner text NOT NULL COLLATE "C",
    line text NOT NULL COLLATE "C",
    PRIMARY KEY (space_id, session, n)
);
SELECT loxodon.wall_in('working_sessions');
SELECT loxodon.wall_in('transcript_lines');

CREATE FUNCTION loxodon.owns_session(owner text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1 AS $$
BEGIN
  RETURN $1 = loxodon.agent() || CASE WHEN loxodon.grouped() THEN '~group' ELSE '' END;
END $$;
CREATE POLICY own_wall ON loxodon.working_sessions AS RESTRICTIVE
  USING ((SELECT loxodon.outside()) OR loxodon.owns_session(owner));
CREATE POLICY own_wall ON loxodon.transcript_lines AS RESTRICTIVE
  USING ((SELECT loxodon.outside()) OR loxodon.owns_session(owner));
