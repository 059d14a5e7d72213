-- The files of a space and of the home are the owner's: transcripts, logs, tokens, keys.
CREATE POLICY own_wall ON loxodon.files AS RESTRICTIVE USING (loxodon.outside());

ALTER TABLE loxodon.home_files ENABLE ROW LEVEL SECURITY;
ALTER TABLE loxodon.home_files FORCE ROW LEVEL SECURITY;
CREATE POLICY own_wall ON loxodon.home_files USING (loxodon.outside());
