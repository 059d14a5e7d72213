-- Sensitive memories are not signed any more.
DROP TABLE IF EXISTS signatures;
