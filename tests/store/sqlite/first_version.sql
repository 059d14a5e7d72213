-- A file as the first version left it: three turns, two memories with history.
INSERT INTO meta VALUES ('space', 'main'), ('words', '1');
INSERT INTO counters VALUES ('turn', 3), ('session', 1), ('memory', 2), ('rows_turns', 3),
  ('rows_memories', 1), ('rows_archive', 1), ('f_20260204', 2);
INSERT INTO sessions VALUES (1, 's', 3, 1770199200000, 1770199200000);
INSERT INTO turns VALUES
  (1, 1, '#1', x'312e2e2e2e2e2e2e2e2e2e2e2e2e2e2e', 'user', '', '', 'direct', 'user', 1770199200000, 480, '我对花生过敏');
INSERT INTO turns VALUES
  (2, 1, '#2', x'322e2e2e2e2e2e2e2e2e2e2e2e2e2e2e', 'user', '', '', 'direct', 'user', 1770199200000, 480, 'I live in Leeds');
INSERT INTO turns VALUES
  (3, 1, '#3', x'332e2e2e2e2e2e2e2e2e2e2e2e2e2e2e', 'user', '', '', 'direct', 'user', 1770199200000, 480, 'ok');
INSERT INTO memories (
  row, id, kind, state, content, agent, audience, subject, attribute, value, category,
  project, topic, tags, entities, importance, confidence, strength, strength_at, sensitivity, trust,
  done, created_at, updated_at, access_count, version, basis, derived_from, expires_at
) VALUES (
  1, 'f_20260204_001', 'fact', 'active', '用户对花生过敏', '', 'private', 'user', 'allergy', '花生',
  'health', 'Home', 'diet', '["Food"]', '[]', 0.9, 1.0, 0.9, 1770199200000, 'low', 'user', 0, 1770199200000,
  1770199200000, 0, 1, '', '[]', 1770285600000
);
INSERT INTO memory_sources VALUES (1, 0, 's', '#1', 1, '', 0);
INSERT INTO memory_changes VALUES (1, 1, 1770199200000, 'captured', NULL);
INSERT INTO memory_labels VALUES ('project', 'home', 1);
INSERT INTO memories (
  row, id, kind, state, content, agent, audience, subject, attribute, value, category,
  project, topic, tags, entities, importance, confidence, strength, strength_at, sensitivity, trust,
  done, created_at, updated_at, access_count, version, basis, derived_from, expires_at
) VALUES (
  2, 'f_20260204_002', 'fact', 'archived', 'The user lived in York', '', 'private', 'user', 'allergy', '花生',
  'health', 'Home', 'diet', '["Food"]', '[]', 0.9, 1.0, 0.9, 1770199200000, 'low', 'user', 0, 1770199200000,
  1770199200000, 0, 1, '', '[]', NULL
);
INSERT INTO memory_sources VALUES (2, 0, 's', '#1', 1, '', 0);
INSERT INTO memory_changes VALUES (2, 1, 1770199200000, 'captured', NULL);
INSERT INTO memory_labels VALUES ('project', 'home', 2);
