-- Walls before what is of no single space: the files of the home (master key, token hashes) and the list of
-- spaces. Whoever stands behind a wall inside a space gets at neither.

-- Whether this transaction is the owner's. `loxodon.past` does not count: the store's own bookkeeping behind
-- a wall is in tables of the space.
CREATE FUNCTION loxodon.is_owner() RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1 AS $$
BEGIN
  RETURN coalesce(current_setting('loxodon.agent', true), '') = ''
    AND coalesce(current_setting('loxodon.grouped', true), '') <> 'on'
    AND coalesce(current_setting('loxodon.alone', true), '') <> 'on';
END $$;

DROP POLICY own_wall ON loxodon.home_files;
CREATE POLICY own_wall ON loxodon.home_files USING ((SELECT loxodon.is_owner()));

-- The owner finds and makes spaces by name. A row is changed by transactions of its space, whose writes it
-- counts, and deleted by the owner in one of these.
ALTER TABLE loxodon.spaces ENABLE ROW LEVEL SECURITY;
ALTER TABLE loxodon.spaces FORCE ROW LEVEL SECURITY;
CREATE POLICY seen ON loxodon.spaces FOR SELECT
  USING ((SELECT loxodon.is_owner()) OR id = loxodon.space());
CREATE POLICY made ON loxodon.spaces FOR INSERT WITH CHECK ((SELECT loxodon.is_owner()));
CREATE POLICY changed ON loxodon.spaces FOR UPDATE USING (id = loxodon.space());
CREATE POLICY deleted ON loxodon.spaces FOR DELETE
  USING (id = loxodon.space() AND (SELECT loxodon.is_owner()));
