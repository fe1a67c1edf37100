/**
 * One installation in three forms: `millwright install`, the Helm chart and the kustomize base give equal objects, and the
 * same values are refused.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { stringAt } from '../../src/base/json-fields.ts';
import { parseYaml } from '../../src/base/yaml/index.ts';
import { runCli } from '../cli/run-cli.ts';
import { findHelm } from './find-helm.ts';
import { findKustomize } from './find-kustomize.ts';

const run = promisify(execFile);
const helm = await findHelm();
const kustomize = await findKustomize();
const chart = fileURLToPath(new URL('../../charts/millwright', import.meta.url));
const base = fileURLToPath(new URL('../../kustomize', import.meta.url));
const noHelm = typeof helm === 'string' ? '' : ` (skipped: ${helm.unavailable})`;
const noKustomize = typeof kustomize === 'string' ? '' : ` (skipped: ${kustomize.unavailable})`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millwright-installation-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** By kind, namespace and name. */
type Objects = { readonly [key: string]: JsonObject };

function objectsIn(text: string): Objects {
  const parsed = parseYaml(text);
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
  const objects = parsed.value.map(({ value }) => value as JsonObject);
  const keyed = objects.map((one): [string, JsonObject] => [
    `${stringAt(one, 'kind')} ${stringAt(one, 'metadata', 'namespace')}/${stringAt(one, 'metadata', 'name')}`,
    one,
  ]);
  expect(new Set(keyed.map(([key]) => key)).size).toBe(keyed.length);
  return Object.fromEntries(keyed);
}

async function installed(...args: readonly string[]): Promise<Objects> {
  const { exitCode, stdout } = await runCli(['install', ...args], { cwd: folder });
  expect(exitCode).toBe(0);
  return objectsIn(stdout);
}

async function valuesFile(text: string): Promise<string> {
  const file = join(folder, 'values.yaml');
  await writeFile(file, text);
  return file;
}

const tool = async (program: unknown, args: readonly string[]) => {
  const { stdout } = await run(String(program), [...args], { maxBuffer: 64 * 1024 * 1024 });
  return stdout;
};
const template = async (...args: readonly string[]) =>
  objectsIn(
    await tool(helm, [
      'template',
      'millwright',
      chart,
      '--include-crds',
      '--kube-version',
      '1.33.0',
      ...args,
    ]),
  );

describe.skipIf(typeof helm !== 'string')(`the Helm chart${noHelm}`, () => {
  it('passes the linter', async () => {
    expect(await tool(helm, ['lint', '--strict', chart])).toContain('1 chart(s) linted, 0 chart(s) failed');
  });

  it('gives the objects of `millwright install`', async () => {
    expect(await template()).toEqual(await installed());
  });

  it.each([
    'namespace: machines\n',
    'namespace: "1e3"\n',
    'pauseMaster: false\nbase: coreos\n',
    'base: coreos\nservingCertificates: {approve: false}\n',
    'base: coreos\nservingCertificates: {approve: null}\n',
    'servingCertificates: {approve: true}\n',
    'server: {enabled: true, apiServerUrl: "https://api.example:6443"}\n',
    'server: {enabled: true}\nclientCertificates: {approve: false}\n',
    'server: {enabled: true}\nclientCertificates: {approve: null}\n',
    'clientCertificates: {approve: true}\n',
    'builder: {enabled: false}\nnetworkPolicies: {enabled: false}\n',
    'image: registry.example:5000/a/millwright:2\nimagePullPolicy: Always\nimagePullSecrets: [{name: pull}]\nreplicas: 1\n',
    'nodeSelector: {kubernetes.io/os: null, pool: infra}\ntolerations: []\n',
    'daemon: {port: 9000, nodeSelector: {managed: "true"}, tolerations: [{key: a, operator: Equal, value: "<&>"}]}\n',
    'resources: {daemon: {limits: {memory: 2Gi, cpu: 1}}, operator: {limits: null}}\n',
  ])('gives the objects of `millwright install` with the values %j', async (text) => {
    const file = await valuesFile(text);
    const objects = await template('--values', file);
    expect(objects).toEqual(await installed('--values', file));
    expect(objects).not.toEqual(await installed());
  });

  it('takes the namespace from --set, as `millwright install` takes it from its flag', async () => {
    expect(await template('--set', 'namespace=machines')).toEqual(await installed('--namespace', 'machines'));
  });

  it.each([
    'namespace: No_Name\n',
    'replicas: 0\n',
    'replicas: two\n',
    'imge: a\n',
    'image: millwright\n',
    'base: debian\n',
    'daemon: {prt: 1}\n',
    'daemon: {port: 65536}\n',
    'tolerations: [{keey: a}]\n',
    'imagePullSecrets: [a]\n',
    'resources: {daemon: {limits: {memory: 512m}}}\n',
    'resources: {daemon: {limits: {cpu: lots}}}\n',
    'resources: {daemon: {limits: {memry: 1Gi}}}\n',
    'resources: {daemon: {requests: {cpu: -1}}}\n',
    'builder: {enabled: "no"}\n',
    'servingCertificates: {approve: "no"}\n',
    'clientCertificates: {approve: "no"}\n',
    'clientCertificates: null\n',
    'servingCertificates: null\n',
  ])('refuses the values %j, which `millwright install` refuses', async (text) => {
    const file = await valuesFile(text);
    await expect(template('--values', file)).rejects.toThrow(
      "values don't meet the specifications of the schema",
    );
    expect((await runCli(['install', '--values', file])).exitCode).toBe(1);
  });
});

describe.skipIf(typeof kustomize !== 'string')(`the kustomize base${noKustomize}`, () => {
  it('gives the objects of `millwright install`', async () => {
    expect(objectsIn(await tool(kustomize, ['build', base]))).toEqual(await installed());
  });

  it('has a component for the base coreos, which gives the objects of `millwright install --base coreos`', async () => {
    // Relative, as in a repository: kustomize refuses absolute paths.
    const from = relative(await realpath(folder), base);
    await writeFile(
      join(folder, 'kustomization.yaml'),
      `resources: [${from}]\ncomponents: [${join(from, 'coreos')}]\n`,
    );
    const built = objectsIn(await tool(kustomize, ['build', folder]));
    expect(built).toEqual(await installed('--base', 'coreos'));
  });

  it('has the CRDs as a base of their own', async () => {
    expect(objectsIn(await tool(kustomize, ['build', join(base, 'crds')]))).toEqual(
      await installed('--crds-only'),
    );
  });
});
