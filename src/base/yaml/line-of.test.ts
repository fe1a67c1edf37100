import { expect, test } from 'vitest';
import { lineOf } from './line-of.ts';
import { parseYaml } from './parse-yaml.ts';

const text = `# a comment
metadata:
  labels:
    example.com/role.name: worker
    on: "x"
spec:
  config:
    storage:
      files:
      - path: /a
        mode: 0644
      - path: /b

        mode: 0600
---
{"spec": {
  "items": [
    {"name": "a"},
    {"name": "b"}
  ]}}
`;

const outcome = parseYaml(text);
const documents = outcome.kind === 'ok' ? outcome.value : [];

test.each([
  [0, '', 2],
  [0, 'metadata', 2],
  [0, 'metadata.labels', 3],
  [0, 'metadata.labels.example.com/role.name', 4],
  [0, 'metadata.labels[example.com/role.name]', 4],
  [0, 'spec.config.storage.files[0]', 10],
  [0, 'spec.config.storage.files[0].mode', 11],
  [0, 'spec.config.storage.files[1].mode', 14],
  [0, 'spec.config.storage.files[1].contents.source', 12],
  [0, 'spec.config.storage.files[7].mode', 9],
  [0, 'status', 2],
  [1, 'spec.items[1].name', 19],
  [1, '', 16],
])('document %d, field "%s" is on line %d', (index, path, line) => {
  const document = documents[index];
  expect(document && lineOf(document, path)).toBe(line);
});

test('distinguishes JSON values in a row', () => {
  const row = parseYaml('{"a":\n1}\n{"a":\n{"b":\n2}}');
  const second = row.kind === 'ok' ? row.value[1] : undefined;
  expect(second && lineOf(second, 'a.b')).toBe(4);
});
