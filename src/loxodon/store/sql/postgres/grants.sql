-- What the roles of setup.sql may do, as far as there are such. Whoever owns the schema runs this with each
-- migration.
DO $$
BEGIN
  IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'loxodon_spaces') THEN
    GRANT USAGE ON SCHEMA loxodon, loxodon_wall TO loxodon_spaces;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA loxodon, loxodon_wall TO loxodon_spaces;
    REVOKE INSERT, UPDATE, DELETE ON loxodon.migrations FROM loxodon_spaces;
  END IF;
  IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'loxodon_backup') THEN
    GRANT USAGE ON SCHEMA loxodon, loxodon_wall TO loxodon_backup;
    GRANT SELECT ON ALL TABLES IN SCHEMA loxodon, loxodon_wall TO loxodon_backup;
    GRANT SELECT ON ALL SEQUENCES IN SCHEMA loxodon TO loxodon_backup;
  END IF;
END $$;
