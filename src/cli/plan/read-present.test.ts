/** What `plan --from` does with files of the present that are broken. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Ports } from '../ports.ts';
import { planCommand } from './plan-command.ts';
import { readPresent } from './read-present.ts';

const GOOD = manifest('50-good', '{kernelArguments: [quiet]}');
const UNKNOWN_FIELD = manifest('50-unknown', '{kernelArgument: [quiet]}');
const NO_YAML = 'kind: MachineConfig\nspec: [\n';
const LAYOUT = 'dump/cluster-scoped-resources/machineconfiguration.openshift.io/machineconfigs';

function manifest(name: string, spec: string): string {
  const labels = '{machineconfiguration.openshift.io/role: worker}';
  return `apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig\nmetadata: {name: ${name}, labels: ${labels}}\nspec: ${spec}\n`;
}

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'millwright-present-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

function write(path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
}

function recordingPorts() {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const ports = {
    ...{ cwd, packageRoot: cwd, environment: {}, terminal: undefined },
    stdin: (async function* () {})(),
    stdout: (text: string) => stdout.push(text),
    stderr: (text: string) => stderr.push(text),
  } as unknown as Ports;
  return { ports, stdout, stderr };
}

async function read(...from: readonly string[]) {
  const { ports, stderr } = recordingPorts();
  const objects = await readPresent(from, {
    ...{ ports, namespace: 'openshift-machine-config-operator' },
    purpose: 'plan',
  });
  return { names: objects?.map(({ metadata }) => metadata.name), stderr: stderr.join('') };
}

describe('the present objects of a plan', () => {
  it('are none where a manifest is broken, and each problem is named with its file', async () => {
    write('manifests/good.yaml', GOOD);
    write('manifests/broken.yaml', NO_YAML);
    write('manifests/unknown.yaml', UNKNOWN_FIELD);
    const { names, stderr } = await read('manifests');
    expect(names).toBeUndefined();
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/^manifests\/broken\.yaml: .*line 3/),
      'manifests/unknown.yaml:4: MachineConfig/50-unknown: spec.kernelArgument: unknown field (did you mean kernelArguments?)',
      '2 problems in what --from names, nothing planned',
      '',
    ]);
  });

  it('are those of a damaged dump that can be read, and what is left out is named', async () => {
    write(`${LAYOUT}/good.yaml`, GOOD);
    write(`${LAYOUT}/broken.yaml`, NO_YAML);
    write(`${LAYOUT}/cut.yaml`, Uint8Array.of(0xff, 0xfe));
    write('dump/namespaces/shop/core/pods/web.yaml', NO_YAML);
    const { names, stderr } = await read('dump');
    expect(names).toEqual(['50-good']);
    expect(stderr).toMatch(
      /^millwright: --from dump: 3 problems, skipped in the plan:\n( {2}dump\/.*\n){3}$/,
    );
    for (const path of [
      `${LAYOUT}/broken.yaml`,
      `${LAYOUT}/cut.yaml`,
      'dump/namespaces/shop/core/pods/web.yaml',
    ]) {
      expect(stderr).toContain(`${path}: `);
    }
  });

  it('beside a dump are held to the same as without one', async () => {
    write(`${LAYOUT}/good.yaml`, GOOD);
    write('manifests/broken.yaml', NO_YAML);
    expect((await read('dump', 'manifests')).names).toBeUndefined();
  });

  it('names only some of many damaged files', async () => {
    for (let count = 0; count < 12; count++) write(`${LAYOUT}/broken-${count}.yaml`, NO_YAML);
    expect((await read('dump')).stderr).toMatch(/\n {2}and 2 more\n$/);
  });
});

it('a plan against broken manifests says nothing but that, with the exit code of invalid input', async () => {
  write('manifests/broken.yaml', NO_YAML);
  write('change.yaml', GOOD);
  const { ports, stdout, stderr } = recordingPorts();
  const options = { from: ['manifests'], filename: ['change.yaml'], output: 'text' } as const;
  expect(await planCommand(options, { ports, version: '0' })).toBe(1);
  expect([stdout, stderr.length]).toEqual([[], 2]);
});
