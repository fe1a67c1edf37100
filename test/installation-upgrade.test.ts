/**
 * Upgrades between versions of Millwright: applying the manifests of this one is all it takes. No object of an older version is
 * left over, and nothing changes that an API server would refuse to change.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../src/base/json.ts';
import { objectAt, objectsAt, stringAt } from '../src/base/json-fields.ts';
import { parseYaml } from '../src/base/yaml/index.ts';
import { runCli } from './cli/run-cli.ts';

/** One object per line: apiVersion, kind, namespace, name and the fields that cannot change. */
const VERSIONS = ['0.1.0'];

describe.each(VERSIONS)('an upgrade from %s', (version) => {
  const before = readFileSync(new URL(`golden/installation-${version}.txt`, import.meta.url), 'utf8')
    .trim()
    .split('\n');

  it('leaves no object of the older version over', async () => {
    const now = new Set((await installed()).map(keyOf));
    expect(
      before.map((line) => line.split(' ').slice(0, 4).join(' ')).filter((key) => !now.has(key)),
    ).toEqual([]);
  });

  it('changes no field that cannot be changed', async () => {
    const now = new Map((await installed()).map((object) => [keyOf(object), object]));
    for (const line of before) {
      const [apiVersion, kind, namespace, name, fixed] = line.split(' ');
      const object = now.get([apiVersion, kind, namespace, name].join(' '));
      if (fixed !== undefined && object !== undefined)
        expect(fixedFields(object), line).toEqual(JSON.parse(fixed));
    }
  });
});

async function installed(): Promise<readonly JsonObject[]> {
  const { stdout } = await runCli(['install']);
  const parsed = parseYaml(stdout);
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
  return parsed.value.map(({ value }) => value as JsonObject);
}

function keyOf(object: JsonObject): string {
  const namespace = stringAt(object, 'metadata', 'namespace') || '-';
  return [object.apiVersion, object.kind, namespace, stringAt(object, 'metadata', 'name')].join(' ');
}

function fixedFields(object: JsonObject): unknown {
  switch (object.kind) {
    case 'RoleBinding':
    case 'ClusterRoleBinding':
      return object.roleRef;
    case 'Deployment':
    case 'DaemonSet':
      return objectAt(object, 'spec', 'selector', 'matchLabels');
    default:
      return {
        scope: stringAt(object, 'spec', 'scope'),
        kind: stringAt(object, 'spec', 'names', 'kind'),
        versions: objectsAt(object, 'spec', 'versions').map(({ name }) => name),
      };
  }
}
