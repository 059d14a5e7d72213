#!/bin/sh
# Run once by the database's image: the logins that need a password. `loxodon postgres setup` does the rest.
set -eu
psql --set=ON_ERROR_STOP=1 --username=postgres --dbname=loxodon \
  --set=migrator="$MIGRATOR_PASSWORD" --set=app="$APP_PASSWORD" <<'SQL'
CREATE ROLE loxodon_migrator LOGIN PASSWORD :'migrator';
CREATE ROLE loxodon_app LOGIN PASSWORD :'app';
SQL
