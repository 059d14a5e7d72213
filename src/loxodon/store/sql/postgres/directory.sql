-- The schema and the directory of spaces: what is about all of them, and so past every wall.

-- The schema -------------------------------------------------------------------------------------------

-- name: make_schema
CREATE SCHEMA loxodon;
CREATE TABLE loxodon.migrations (
  number integer PRIMARY KEY, name text NOT NULL, at timestamptz NOT NULL DEFAULT now());

-- name: is_made
-- Not `to_regclass`, which remembers from before the lock that there was none.
SELECT 1 FROM pg_tables WHERE schemaname = 'loxodon' AND tablename = 'migrations'

-- name: migrations_done
SELECT number FROM loxodon.migrations

-- name: put_migration
INSERT INTO loxodon.migrations VALUES ($1, $2)

-- name: may_have_vectors
SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'vector')
  OR (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)

-- name: owns_schema
SELECT coalesce((SELECT pg_has_role(current_user, nspowner, 'USAGE') FROM pg_namespace
  WHERE nspname = 'loxodon'), has_database_privilege(current_database(), 'CREATE'))

-- name: lacks_role
-- Whether this login sees through row-level security and cannot become a role that does not.
SELECT 1 FROM pg_roles WHERE rolname = current_user
AND (rolsuper OR rolbypassrls AND rolcreaterole) AND NOT EXISTS (
  SELECT 1 FROM pg_roles role WHERE role.rolname = 'loxodon_spaces' AND NOT EXISTS (
  SELECT 1 FROM pg_tables WHERE schemaname = 'loxodon' AND tablename <> 'migrations'
  AND NOT has_table_privilege(role.oid, format('loxodon.%I', tablename)::regclass, 'INSERT')))

-- name: make_role
DO $$ BEGIN CREATE ROLE loxodon_spaces NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$

-- A space ----------------------------------------------------------------------------------------------

-- name: count_write
UPDATE loxodon.spaces SET version = version + 1 WHERE id = $1

-- name: space_named
SELECT id FROM loxodon.spaces WHERE name = $1

-- name: make_space
INSERT INTO loxodon.spaces (name) VALUES ($1) ON CONFLICT DO NOTHING

-- name: space_versions
SELECT name, version FROM loxodon.spaces ORDER BY name

-- name: tables_of_spaces
SELECT table_name FROM information_schema.columns WHERE table_schema = 'loxodon'
AND column_name = 'space_id' AND table_name IN (
  SELECT tablename FROM pg_tables WHERE schemaname = 'loxodon')
