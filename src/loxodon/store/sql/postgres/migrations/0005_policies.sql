-- Walls inside a space (store/walls.py) as row-level security: whatever a query is and however it names
-- a table, it meets them. They are those of store/sqlite/views.py, with the agent and the group from the
-- settings of the transaction.
--
-- Each table has the policy own_space, which binds it to its space, and where it has content a second
-- one that narrows that (own_wall). Where nobody stands behind a wall, that one is a value that is found
-- once for a query: all that looks at rows is behind an OR, in functions that the planner does not look
-- into. These functions are PL/pgSQL, whose plans last as long as a connection.
--
-- `loxodon.past` is for what is done to the tables themselves from behind a wall: the store says so for a
-- single statement (`main.`), and some of these functions do for themselves. Policies that refer to each
-- other's tables would never end otherwise.

CREATE FUNCTION loxodon.alone() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS
$$ SELECT coalesce(current_setting('loxodon.alone', true), '') = 'on' $$;

-- Whether nothing stands before memories and entities.
CREATE FUNCTION loxodon.open() RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1 AS $$
BEGIN
  RETURN coalesce(current_setting('loxodon.past', true), '') = 'on'
    OR coalesce(current_setting('loxodon.agent', true), '') = ''
    AND coalesce(current_setting('loxodon.grouped', true), '') <> 'on'
    AND coalesce(current_setting('loxodon.alone', true), '') <> 'on';
END $$;

-- Whether nothing stands before the rest: one agent's consolidation reads what all have said.
CREATE FUNCTION loxodon.outside() RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1 AS $$
BEGIN
  RETURN coalesce(current_setting('loxodon.past', true), '') = 'on'
    OR coalesce(current_setting('loxodon.alone', true), '') = 'on'
    OR coalesce(current_setting('loxodon.agent', true), '') = ''
    AND coalesce(current_setting('loxodon.grouped', true), '') <> 'on';
END $$;

-- Go past the wall within a function; the value that puts it up again. One that fails before it does takes
-- the transaction with it. A clause SET of the function would need a superuser, for a setting of ours.
CREATE FUNCTION loxodon.go_past() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  before text := coalesce(current_setting('loxodon.past', true), '');
  past text := set_config('loxodon.past', 'on', true);
BEGIN
  RETURN before;
END $$;

-- Whose something is: nobody's, or that agent's who asks.
CREATE FUNCTION loxodon.is_own(agent text) RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1 AS $$
BEGIN
  RETURN CASE WHEN loxodon.alone() THEN $1 = loxodon.agent()
    ELSE $1 = '' OR loxodon.agent() IN ('', $1) END;
END $$;

-- Memories ------------------------------------------------------------------------------------------

CREATE FUNCTION loxodon.keeps_memory(agent text, audience text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1 AS $$
BEGIN
  RETURN loxodon.is_own($1) OR $2 = 'all' AND NOT loxodon.alone();
END $$;
CREATE FUNCTION loxodon.admits_memory(agent text, audience text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1 AS $$
BEGIN
  RETURN loxodon.keeps_memory($1, $2) AND NOT ($2 = 'private' AND loxodon.grouped());
END $$;
-- A group may keep what it cannot see: a private note.
CREATE POLICY own_wall ON loxodon.memories AS RESTRICTIVE
  USING ((SELECT loxodon.open()) OR loxodon.admits_memory(agent, audience))
  WITH CHECK ((SELECT loxodon.open()) OR loxodon.keeps_memory(agent, audience));

CREATE FUNCTION loxodon.sees(memory bigint) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1 AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM loxodon.memories m WHERE m.row = $1);
END $$;
CREATE FUNCTION loxodon.keeps(memory bigint) RETURNS boolean LANGUAGE plpgsql STABLE COST 1 AS $$
DECLARE
  before text := loxodon.go_past();
  found boolean := EXISTS (
    SELECT 1 FROM loxodon.memories m WHERE m.row = $1 AND loxodon.keeps_memory(m.agent, m.audience));
BEGIN
  before := set_config('loxodon.past', before, true);
  RETURN found;
END $$;
CREATE POLICY own_wall ON loxodon.memory_labels AS RESTRICTIVE
  USING ((SELECT loxodon.open()) OR loxodon.sees(memory))
  WITH CHECK ((SELECT loxodon.open()) OR loxodon.keeps(memory));
CREATE POLICY own_wall ON loxodon.memory_changes AS RESTRICTIVE
  USING ((SELECT loxodon.outside()) OR loxodon.sees(memory))
  WITH CHECK ((SELECT loxodon.outside()) OR loxodon.keeps(memory));
CREATE POLICY own_wall ON loxodon.tokens AS RESTRICTIVE
  USING ((SELECT loxodon.outside()) OR loxodon.sees(memory));

-- The journal ---------------------------------------------------------------------------------------

CREATE FUNCTION loxodon.is_private(seq bigint) RETURNS boolean
LANGUAGE plpgsql STABLE COST 1 AS $$
DECLARE
  before text := loxodon.go_past();
  found boolean := EXISTS (
    SELECT 1 FROM loxodon.memory_sources s JOIN loxodon.memories m ON m.row = s.memory
    WHERE s.seq = $1 AND m.audience = 'private');
BEGIN
  before := set_config('loxodon.past', before, true);
  RETURN found;
END $$;

-- A group hears no turn of a direct chat, nor one that a private memory came from.
CREATE FUNCTION loxodon.admits_turn(agent text, chat text, seq bigint) RETURNS boolean
LANGUAGE plpgsql STABLE COST 1 AS $$
BEGIN
  RETURN loxodon.is_own($1)
    AND (NOT loxodon.grouped() OR $2 <> 'direct' AND NOT loxodon.is_private($3));
END $$;
CREATE POLICY own_wall ON loxodon.turns AS RESTRICTIVE
  USING ((SELECT loxodon.outside()) OR loxodon.admits_turn(agent, chat, seq));

CREATE FUNCTION loxodon.sees_turn(turn bigint) RETURNS boolean
LANGUAGE plpgsql STABLE COST 1 AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM loxodon.turns t WHERE t.seq = $1);
END $$;
CREATE POLICY own_wall ON loxodon.fragments AS RESTRICTIVE
  USING ((SELECT loxodon.outside()) OR loxodon.sees_turn(turn));
CREATE POLICY own_wall ON loxodon.candidates AS RESTRICTIVE
  USING ((SELECT loxodon.outside()) OR loxodon.sees_turn(turn));

-- Where a memory comes from is told as far as that may be seen itself.
CREATE POLICY own_wall ON loxodon.memory_sources AS RESTRICTIVE
  USING ((SELECT loxodon.outside()) OR loxodon.sees(memory) AND loxodon.sees_turn(seq))
  WITH CHECK ((SELECT loxodon.outside()) OR loxodon.keeps(memory));

-- What is held back is kept before it is known which memory it is of.
CREATE FUNCTION loxodon.sees_held(turn bigint, memory text) RETURNS boolean
LANGUAGE plpgsql STABLE COST 1 AS $$
BEGIN
  IF $1 IS NOT NULL THEN
    RETURN loxodon.sees_turn($1);
  END IF;
  RETURN EXISTS (SELECT 1 FROM loxodon.memories m WHERE m.id = $2);
END $$;
CREATE POLICY own_wall ON loxodon.quarantine AS RESTRICTIVE
  USING ((SELECT loxodon.outside()) OR loxodon.sees_held(turn, memory)) WITH CHECK (true);

CREATE FUNCTION loxodon.sees_session(session bigint) RETURNS boolean
LANGUAGE plpgsql STABLE COST 1 AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM loxodon.turns t WHERE t.session = $1);
END $$;
CREATE POLICY own_wall ON loxodon.sessions AS RESTRICTIVE
  USING ((SELECT loxodon.outside()) OR loxodon.sees_session(no));

-- A stretch of talk is told where all of it may be.
CREATE FUNCTION loxodon.sees_stretch(session bigint, first_turn bigint, last_turn bigint) RETURNS boolean
LANGUAGE plpgsql STABLE COST 1 AS $$
DECLARE
  before text := loxodon.go_past();
  found boolean := NOT EXISTS (
    SELECT 1 FROM loxodon.turns t WHERE t.session = $1 AND t.seq BETWEEN $2 AND $3
      AND NOT loxodon.admits_turn(t.agent, t.chat, t.seq));
BEGIN
  before := set_config('loxodon.past', before, true);
  RETURN found;
END $$;
CREATE POLICY own_wall ON loxodon.segments AS RESTRICTIVE
  USING ((SELECT loxodon.outside()) OR loxodon.sees_stretch(session, first_turn, last_turn));

-- An event is of a session and a day, and has no chat of its own.
CREATE FUNCTION loxodon.sees_event(agent text, session text) RETURNS boolean
LANGUAGE plpgsql STABLE COST 1 AS $$
DECLARE
  before text := loxodon.go_past();
  found boolean := loxodon.is_own($1) AND (NOT loxodon.grouped() OR NOT EXISTS (
    SELECT 1 FROM loxodon.sessions s JOIN loxodon.turns t ON t.session = s.no
    WHERE s.id = $2 AND NOT loxodon.admits_turn(t.agent, t.chat, t.seq)));
BEGIN
  before := set_config('loxodon.past', before, true);
  RETURN found;
END $$;
CREATE POLICY own_wall ON loxodon.events AS RESTRICTIVE
  USING ((SELECT loxodon.outside()) OR loxodon.sees_event(agent, session))
  WITH CHECK ((SELECT loxodon.outside()) OR loxodon.is_own(agent));

-- Entities ------------------------------------------------------------------------------------------

-- An entity is its agent's; a group knows those that a memory it may hear is filed under, by that name
-- alone.
CREATE FUNCTION loxodon.sees_name(agent text, name text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1 AS $$
BEGIN
  RETURN loxodon.is_own($1) AND (NOT loxodon.grouped() OR EXISTS (
    SELECT 1 FROM loxodon.memory_labels l WHERE l.label = 'entity' AND l.name = $2));
END $$;
CREATE POLICY own_wall ON loxodon.entity_names AS RESTRICTIVE
  USING ((SELECT loxodon.open()) OR loxodon.sees_name(agent, name));

CREATE FUNCTION loxodon.sees_entity(agent text, entity bigint) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1 AS $$
BEGIN
  RETURN loxodon.is_own($1) AND (NOT loxodon.grouped() OR EXISTS (
    SELECT 1 FROM loxodon.entity_names n WHERE n.entity = $2 AND n.agent = $1));
END $$;
CREATE POLICY own_wall ON loxodon.entities AS RESTRICTIVE
  USING ((SELECT loxodon.open()) OR loxodon.sees_entity(agent, no));

-- What is not said ----------------------------------------------------------------------------------

-- Documents are each agent's own; a group has none, and no notes.
CREATE FUNCTION loxodon.keeps_document(namespace text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1 AS $$
DECLARE own text COLLATE "C" := coalesce(current_setting('loxodon.documents', true), '');
BEGIN
  RETURN own <> '' AND $1 >= own AND $1 < left(own, -1) || '0'; -- which comes right after '/'
END $$;
CREATE FUNCTION loxodon.sees_document(namespace text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1 AS $$
BEGIN
  RETURN NOT loxodon.grouped() AND loxodon.keeps_document($1);
END $$;
CREATE POLICY own_wall ON loxodon.documents AS RESTRICTIVE
  USING ((SELECT loxodon.outside()) OR loxodon.sees_document(namespace))
  WITH CHECK ((SELECT loxodon.outside()) OR loxodon.keeps_document(namespace));

CREATE FUNCTION loxodon.sees_notes() RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1 AS $$
BEGIN
  RETURN loxodon.outside() OR NOT loxodon.grouped();
END $$;
CREATE POLICY own_wall ON loxodon.source_files AS RESTRICTIVE USING (loxodon.sees_notes());
CREATE POLICY own_wall ON loxodon.chunks AS RESTRICTIVE USING (loxodon.sees_notes());
CREATE POLICY own_wall ON loxodon.chunk_places AS RESTRICTIVE USING (loxodon.sees_notes());

-- Pages are the owner's; what is read from behind a wall is made anew of what can be seen.
CREATE POLICY own_wall ON loxodon.pages AS RESTRICTIVE USING (loxodon.outside());
CREATE POLICY own_wall ON loxodon.followed AS RESTRICTIVE USING (loxodon.outside());
CREATE POLICY own_wall ON loxodon.imports AS RESTRICTIVE USING (loxodon.outside());
CREATE POLICY own_wall ON loxodon.receipts AS RESTRICTIVE USING (loxodon.outside());

-- A number is given out once, whoever asks for it.
CREATE OR REPLACE FUNCTION loxodon.next_no(of regclass) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  before text := loxodon.go_past();
  found bigint;
BEGIN
  EXECUTE format('SELECT coalesce(max(no), 0) + 1 FROM %s', of) INTO found;
  before := set_config('loxodon.past', before, true);
  RETURN found;
END $$;

-- Views are left where a row may be seen, and a column of it not. A transaction behind a wall finds them
-- before the tables; the policies stand below them.
CREATE OR REPLACE VIEW loxodon_wall.sessions WITH (security_barrier, security_invoker) AS
SELECT s.space_id, s.no, s.id,
  (SELECT count(*) FROM loxodon.turns t WHERE t.session = s.no) AS turns,
  (SELECT min(t.at) FROM loxodon.turns t WHERE t.session = s.no) AS first_at,
  (SELECT max(t.at) FROM loxodon.turns t WHERE t.session = s.no) AS last_at
FROM loxodon.sessions s;

CREATE OR REPLACE VIEW loxodon_wall.entities WITH (security_barrier, security_invoker) AS
SELECT t.space_id, t.no, t.name, t.type,
  CASE WHEN loxodon.grouped() THEN '[]' ELSE t.aliases END AS aliases,
  t.created_at, t.updated_at, t.agent
FROM loxodon.entities t;

DROP VIEW loxodon_wall.events, loxodon_wall.entity_names, loxodon_wall.quarantine, loxodon_wall.candidates,
  loxodon_wall.fragments, loxodon_wall.segments, loxodon_wall.tokens, loxodon_wall.memory_sources,
  loxodon_wall.memory_changes, loxodon_wall.turns, loxodon_wall.memory_labels, loxodon_wall.memories,
  loxodon_wall.documents, loxodon_wall.source_files, loxodon_wall.chunks, loxodon_wall.chunk_places,
  loxodon_wall.pages, loxodon_wall.followed, loxodon_wall.imports, loxodon_wall.receipts;
DROP SCHEMA loxodon_alone CASCADE;
