-- Sensitive memories are not signed any more.
DROP TABLE loxodon.signatures;
