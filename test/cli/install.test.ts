/** `millwright install`: what it prints, and how it refuses values. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kinds, NAMESPACE } from '../../src/api/index.ts';
import { parseYaml } from '../../src/base/yaml/index.ts';
import { listOf, textOf } from '../contract/loose.ts';
import type { Manifest } from '../support/manifests-files.ts';
import { packageRoot, runCli, transcript } from './run-cli.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'millwright-install-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

const install = async (...args: readonly string[]): Promise<readonly Manifest[]> => {
  const { exitCode, stdout, stderr } = await runCli(['install', ...args], { cwd });
  expect(exitCode).toBe(0);
  expect(stderr.replace(/^millwright: make and push the images first .*\n$/, '')).toBe('');
  const parsed = parseYaml(stdout);
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
  return parsed.value.map(({ value }) => value as unknown as Manifest);
};
const workloads = (all: readonly Manifest[]) =>
  all.filter(({ kind }) => kind === 'Deployment' || kind === 'DaemonSet');
const imagesOf = (all: readonly Manifest[]) => JSON.stringify(workloads(all)).match(/"image":"[^"]*"/g);

const CRD = 'CustomResourceDefinition';

describe('millwright install', () => {
  it('prints the CRDs and the namespaces before anything else', async () => {
    const order = (await install()).map(({ kind }) => kind);
    const crds = Array.from({ length: kinds.length }, () => 'CustomResourceDefinition');
    const head = [...crds, 'Namespace', 'Namespace', 'Namespace'];
    expect(order.slice(0, head.length)).toEqual(head);
    expect(order.slice(head.length)).not.toContain('CustomResourceDefinition');
    expect(workloads(await install()).map(({ metadata }) => metadata.name)).toEqual([
      'machine-os-builder',
      'machine-config-operator',
      'machine-config-controller',
      'machine-config-daemon',
    ]);
  });

  it('prints only CRDs with --crds-only', async () => {
    const printed = await install('--crds-only');
    expect(new Set(printed.map(({ kind }) => kind))).toEqual(new Set(['CustomResourceDefinition']));
    expect(printed).toHaveLength(kinds.length);
  });

  it('takes values from a file, and flags before it', async () => {
    writeFileSync(
      join(cwd, 'values.yaml'),
      'image: registry.example/a:1\nbuilder: {enabled: false}\nbase: coreos\n',
    );
    expect(imagesOf(await install('--values', 'values.yaml'))).toEqual([
      '"image":"registry.example/a:1"',
      '"image":"registry.example/a:1"',
      '"image":"registry.example/a:1"',
    ]);
    const both = await install(
      '--values',
      'values.yaml',
      '--image',
      'registry.example/b:2',
      '--base',
      'none',
    );
    expect(imagesOf(both)?.[0]).toBe('"image":"registry.example/b:2"');
    expect(JSON.stringify(both)).toContain('--base=none');
  });

  it('names the namespace of the flag wherever the default one was named', async () => {
    const [usual, mine] = [await install(), await install('--namespace', 'mine')];
    const places = (objects: readonly Manifest[]) =>
      JSON.stringify(objects.filter(({ kind }) => kind !== CRD));
    expect(places(mine)).not.toContain(NAMESPACE);
    expect(places(mine).replaceAll(/\bmine\b/g, NAMESPACE)).toBe(places(usual));
    expect(mine.filter(({ kind }) => kind === CRD)).toEqual(usual.filter(({ kind }) => kind === CRD));
  });

  it('says in one line on stderr that the default images have to be made, and which flags name others', async () => {
    const notice = async (...args: readonly string[]) => (await runCli(['install', ...args], { cwd })).stderr;
    const mine = ['--image', 'registry.example/a:1'];
    expect(await notice()).toMatch(
      /^millwright: .*npm run image, docs\/images.md.* --image .* --builder-image .*\n$/,
    );
    expect(await notice(...mine)).toMatch(/^millwright: [^\n]* with --builder-image [^\n]*\n$/);
    expect(await notice(...mine, '--builder-image', 'registry.example/b:1')).toBe('');
    expect(await notice('--crds-only')).toBe('');
  });

  it('names stdin where values come from it', async () => {
    const run = await runCli(['install', '--values', '-'], { cwd, stdin: 'replicas: two\n' });
    expect(run.stderr).toBe('millwright: stdin: replicas: must be an integer (given: "two")\n');
  });

  it('takes an empty file as no values', async () => {
    writeFileSync(join(cwd, 'values.yaml'), '# nothing\n');
    expect(await install('--values', 'values.yaml')).toEqual(await install());
  });

  it.each<[string, readonly string[], string, boolean]>([
    ['nothing is asked for', [], '', false],
    ['the base is coreos', ['--base', 'coreos'], '', true],
    ['the base of the values is coreos', [], 'base: coreos\n', true],
    ['those values decide it', [], 'base: coreos\nservingCertificates: {approve: false}\n', false],
    ['those values leave it open', [], 'base: coreos\nservingCertificates: {approve: null}\n', true],
    ['a flag replaces that base', ['--base', 'none'], 'base: coreos\n', false],
    ['the cluster has an approver', ['--base', 'coreos'], 'servingCertificates: {approve: false}\n', false],
    ['only the approver is asked for', [], 'servingCertificates: {approve: true}\n', true],
  ])(
    'installs the approver of serving certificates as it should if %s',
    async (_, args, text, isInstalled) => {
      writeFileSync(join(cwd, 'values.yaml'), text);
      const objects = await install(...args, '--values', 'values.yaml');
      const role = 'machine-config-controller-certificates';
      const found = objects.filter(({ metadata }) => metadata.name === role).map(({ kind }) => kind);
      expect(found).toEqual(isInstalled ? ['ClusterRole', 'ClusterRoleBinding'] : []);
      const controller = workloads(objects).find(
        ({ metadata }) => metadata.name === 'machine-config-controller',
      );
      expect(JSON.stringify(controller)).toContain(`"--approve-serving-certificates=${isInstalled}"`);
    },
  );

  const SERVER = 'server: {enabled: true, apiServerUrl: https://api.example:6443}\n';
  it.each<[string, string, boolean]>([
    ['nothing is asked for', '', false],
    ['the server is installed', SERVER, true],
    ['the server is installed and it is left open', `${SERVER}clientCertificates: {approve: null}\n`, true],
    ['the administrator approves', `${SERVER}clientCertificates: {approve: false}\n`, false],
    ['only the approver is asked for', 'clientCertificates: {approve: true}\n', true],
    ['only serving certificates are asked for', 'servingCertificates: {approve: true}\n', false],
  ])('installs the approver of client certificates as it should if %s', async (_, text, isInstalled) => {
    writeFileSync(join(cwd, 'values.yaml'), text);
    const objects = await install('--values', 'values.yaml');
    const role = 'machine-config-controller-client-certificates';
    const found = objects.filter(({ metadata }) => metadata.name === role).map(({ kind }) => kind);
    expect(found).toEqual(isInstalled ? ['ClusterRole', 'ClusterRoleBinding'] : []);
    const controller = workloads(objects).find(
      ({ metadata }) => metadata.name === 'machine-config-controller',
    );
    expect(JSON.stringify(controller)).toContain(`"--approve-client-certificates=${isInstalled}"`);
  });

  it.each([
    ['replicas: two\n', 'values.yaml: replicas: must be an integer (given: "two")\n'],
    ['y: 1\n', 'values.yaml: true: there is no such value: docs'],
    [
      'imge: a\n',
      'values.yaml: imge: there is no such value (did you mean image?): docs/install-values.md lists them',
    ],
    ['- a\n', 'values.yaml: values are a mapping of names to values'],
    ['a: 1\n---\nb: 1\n', 'values.yaml: has several documents: values are one'],
    ['a: [\n', 'values.yaml: '],
  ])('refuses the values %j in one line', async (text, line) => {
    writeFileSync(join(cwd, 'values.yaml'), text);
    const run = await runCli(['install', '--values', 'values.yaml'], { cwd });
    expect([run.exitCode, run.stdout]).toEqual([1, '']);
    expect(run.stderr).toContain(`millwright: ${line}`);
    expect(run.stderr.match(/\n/g)).toHaveLength(1);
  });

  it.each([
    [
      ['--image', 'millwright'],
      1,
      '--image: must be an image with a registry and a tag or digest, such as registry.example/millwright:1.0',
    ],
    [['--values', 'none.yaml'], 2, '--values: none.yaml: '],
    [['--base', 'debian'], 2, "option '--base <BASE>' argument 'debian' is invalid"],
    [['--namespace', 'No_Name'], 1, '--namespace: must be the name of a namespace'],
  ] as const)('refuses %j in one line', async (args, code, line) => {
    const run = await runCli(['install', ...args], { cwd });
    expect([run.exitCode, run.stdout]).toEqual([code, '']);
    expect(run.stderr).toContain(line);
    expect(run.stderr.match(/\n/g)).toHaveLength(1);
  });

  it.each([[], ['--base', 'coreos']])('starts components with flags that they have (%j)', async (...args) => {
    for (const { spec } of workloads(await install(...args))) {
      for (const { command, args: flags } of listOf(spec?.template?.spec?.containers)) {
        const line = [...listOf(command).map(textOf), ...listOf(flags).map(textOf)];
        expect(line[0]).toBe('millwright');
        // The command line is read before the cluster is looked for.
        const run = await runCli([...line.slice(1), '--kubeconfig', 'none'], {
          cwd,
          environment: { NODE_NAME: 'a', POD_NAME: 'b' },
        });
        expect(run.stderr).toContain('none cannot be read (ENOENT)');
      }
    }
  });

  it('--help matches the golden file', async () => {
    const args = ['help', 'install'];
    const golden = join(packageRoot, 'test/golden/cli/help-install.txt');
    await expect(transcript(args, await runCli(args))).toMatchFileSnapshot(golden);
  });
});

describe('millwright uninstall', () => {
  it.each([[[]], [['--yes', '--dry-run']]])('asks for --dry-run or --yes (%j)', async (args) => {
    writeFileSync(join(cwd, 'kubeconfig'), KUBECONFIG);
    const run = await runCli(['uninstall', '--kubeconfig', 'kubeconfig', ...args], { cwd });
    expect(run).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'millwright: give --dry-run to see what would be removed, or --yes to remove it\n',
    });
  });

  it.each(['--yes', '--dry-run'])('names the cluster that it works on first (%s)', async (flag) => {
    writeFileSync(join(cwd, 'kubeconfig'), KUBECONFIG);
    const run = await runCli(['uninstall', '--kubeconfig', 'kubeconfig', flag], { cwd });
    const file = join(cwd, 'kubeconfig');
    expect([run.exitCode, run.stdout]).toEqual([2, `cluster: https://127.0.0.1:1 (context a of ${file})\n`]);
    expect(run.stderr).toContain('the server https://127.0.0.1:1 is unreachable');
  });

  it('--help matches the golden file', async () => {
    const args = ['help', 'uninstall'];
    const golden = join(packageRoot, 'test/golden/cli/help-uninstall.txt');
    await expect(transcript(args, await runCli(args))).toMatchFileSnapshot(golden);
  });
});

const KUBECONFIG = `
current-context: a
contexts: [{name: a, context: {cluster: a, user: a}}]
clusters: [{name: a, cluster: {server: 'https://127.0.0.1:1'}}]
users: [{name: a, user: {token: a}}]
`;
