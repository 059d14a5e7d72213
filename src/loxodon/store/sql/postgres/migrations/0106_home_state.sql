-- Small state by name: tokens, policy, master key, receipts of deleted spaces, and what each space has noted
-- beside its data (`spaces/FOLDER/copies`). It is the owner's.
CREATE TABLE loxodon.home_state (
    name text NOT NULL COLLATE "C" PRIMARY KEY,
    value bytea NOT NULL,
    changed bigint NOT NULL -- microseconds
);

-- Take over what was kept in pieces, each as one row. A space with a plain name has a folder of that name.
ALTER TABLE loxodon.files NO FORCE ROW LEVEL SECURITY;
ALTER TABLE loxodon.home_files NO FORCE ROW LEVEL SECURITY;
INSERT INTO loxodon.home_state
SELECT name, string_agg(data, ''::bytea ORDER BY start), max(made) FROM loxodon.home_files GROUP BY name;
INSERT INTO loxodon.home_state
SELECT 'spaces/' || CASE
    WHEN s.name COLLATE "C" ~ '^[a-z0-9][a-z0-9_-]{0,62}$'
      AND s.name COLLATE "C" !~ '^(con|prn|aux|nul|com[0-9]|lpt[0-9])$' THEN s.name
    ELSE '~' || left(encode(sha256(convert_to(s.name, 'UTF8')), 'hex'), 40)
  END || '/' || f.name, string_agg(f.data, ''::bytea ORDER BY f.start), max(f.made)
FROM loxodon.files f JOIN loxodon.spaces s ON s.id = f.space_id GROUP BY s.name, f.name;
DROP TABLE loxodon.files, loxodon.home_files;

ALTER TABLE loxodon.home_state ENABLE ROW LEVEL SECURITY;
ALTER TABLE loxodon.home_state FORCE ROW LEVEL SECURITY;
CREATE POLICY own_wall ON loxodon.home_state USING ((SELECT loxodon.is_owner()));
