-- The roles of a database for Loxodon. An administrator (a superuser, or who may create roles with BYPASSRLS and
-- the extension) runs this in that database, before `loxodon migrate`. To run it again changes nothing.
--
--   loxodon_migrator  owns the schema: `loxodon migrate`, nothing else
--   loxodon_app       what the servers log in as; owns nothing, and row-level security binds it
--   loxodon_backup    pg_dump: reads past row-level security, writes nothing
--   loxodon_spaces    holds the grants of loxodon_app; nobody logs in as it
--
-- The three that log in have no password yet: ALTER ROLE … PASSWORD, or another way in pg_hba.conf.

CREATE EXTENSION IF NOT EXISTS vector;

DO $$
DECLARE
  role text;
  object text;
BEGIN
  FOREACH role IN ARRAY ARRAY['loxodon_migrator', 'loxodon_app', 'loxodon_backup', 'loxodon_spaces'] LOOP
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = role) THEN
      EXECUTE format('CREATE ROLE %I', role);
    END IF;
  END LOOP;

  -- Nobody else gets into this database.
  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  EXECUTE format('GRANT CONNECT ON DATABASE %I TO loxodon_app, loxodon_backup', current_database());
  EXECUTE format('GRANT CONNECT, CREATE ON DATABASE %I TO loxodon_migrator', current_database());

  -- What a single login has made becomes the migrator's.
  FOR object IN
    SELECT format('SCHEMA %I', nspname) FROM pg_namespace WHERE nspname LIKE 'loxodon%'
    UNION ALL
    SELECT format('%s %s', CASE relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, c.oid::regclass)
    FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
    WHERE nspname LIKE 'loxodon%' AND relkind IN ('r', 'v')
    UNION ALL
    SELECT format('FUNCTION %s', p.oid::regprocedure)
    FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace WHERE nspname LIKE 'loxodon%'
  LOOP
    EXECUTE format('ALTER %s OWNER TO loxodon_migrator', object);
  END LOOP;
END $$;

ALTER ROLE loxodon_migrator LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
ALTER ROLE loxodon_app LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
ALTER ROLE loxodon_backup LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE BYPASSRLS;
ALTER ROLE loxodon_backup SET default_transaction_read_only = on;
ALTER ROLE loxodon_spaces NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
GRANT loxodon_spaces TO loxodon_app;
