import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { parseYaml } from '../../src/base/yaml/index.ts';
import { fixtures, packageRoot, runCli, transcript } from './run-cli.ts';

const golden = (name: string) => join(packageRoot, 'test/golden/cli', `${name}.txt`);

describe('`millwright render` reports problems and prints no data', () => {
  test.each([
    ['fields', 'render invalid'],
    ['syntax', 'render syntax'],
    ['sum', 'render sum'],
    ['irreconcilable', 'render current'],
    ['refused-content', 'render refused'],
    ['unusable-paths', 'render empty nowhere invalid/other.json cluster'],
    ['no-pool', 'render no-pool'],
    ['no-such-pool', 'render --pool workr --pool storage cluster'],
    ['check-invalid', 'render --check invalid/other.json'],
  ])('%s', async (name, line) => {
    const args = line.split(' ');
    const run = await runCli(args);
    expect(run.exitCode).toBeGreaterThan(0);
    expect(run.stdout).toBe('');
    await expect(transcript(args, run)).toMatchFileSnapshot(golden(name));
  });
});

describe('`millwright render`', () => {
  test.each([
    ['yaml', 'render cluster'],
    ['yaml-one-pool', 'render --pool worker cluster'],
    ['json', 'render -o json cluster'],
    ['name', 'render -o name cluster'],
    ['summary', 'render -o summary cluster'],
    ['warnings-and-notes', 'render -o summary mixed'],
    ['streams', 'render -o summary streams'],
    ['allowed-change', 'render -o summary current allowed'],
    ['check', 'render --check cluster'],
    ['check-without-pool', 'render --check no-pool'],
    ['account-files', 'render --check accounts'],
  ])('%s', async (name, line) => {
    const args = line.split(' ');
    const run = await runCli(args);
    expect(run.exitCode).toBe(0);
    await expect(transcript(args, run)).toMatchFileSnapshot(golden(name));
  });

  test('adds base configs and built-in pools with --with-base', async () => {
    const args = ['render', '--with-base', '-o', 'summary', 'no-pool'];
    const { stdout, ...run } = await runCli(args);
    // Names and sizes change with every change of a template.
    const masked = stdout.replaceAll(/-[0-9a-f]{32}$/gm, '-…').replaceAll(/\d+ of/g, '… of');
    await expect(transcript(args, { ...run, stdout: masked })).toMatchFileSnapshot(golden('with-base'));
  });

  test('prints the same objects as YAML and JSON', async () => {
    const yaml = parseYaml((await runCli(['render', 'cluster'])).stdout);
    const json = await runCli(['render', '-o', 'json', 'cluster']);
    expect(yaml).toMatchObject({ kind: 'ok', value: [{ value: JSON.parse(json.stdout) }] });
  });

  test('accepts its own output for --check', async () => {
    const { stdout } = await runCli(['render', '--with-base', 'cluster']);
    const again = await runCli(['render', '--check', '-'], { stdin: stdout });
    expect(again).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('no problems in 3 objects\n'),
    });
  });

  test('does not depend on the order of paths', async () => {
    const one = await runCli(['render', 'cluster/pools.yaml', 'cluster/worker', 'cluster/infra']);
    const other = await runCli(['render', 'cluster/infra', 'cluster/worker', 'cluster/pools.yaml']);
    expect(one).toEqual(other);
    expect(one.exitCode).toBe(0);
  });

  test('reads overlapping paths once', async () => {
    const once = await runCli(['render', 'cluster']);
    expect(await runCli(['render', 'cluster', 'cluster/pools.yaml', './cluster/../cluster'])).toEqual(once);
  });

  test('reads stdin like a file', async () => {
    const stdin = readFileSync(join(fixtures, 'mixed/all.yaml'), 'utf8');
    const run = await runCli(['render', '-o', 'name', '-'], { stdin });
    const asFile = await runCli(['render', '-o', 'name', 'mixed/all.yaml']);
    expect(run).toEqual({ ...asFile, stderr: asFile.stderr.replaceAll('mixed/all.yaml', 'stdin') });
    expect(run.exitCode).toBe(0);
  });
});

describe('packed contents that are too large', () => {
  const manifest = (name: string, ...paths: readonly string[]) =>
    JSON.stringify({
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'MachineConfig',
      metadata: { name, labels: { 'machineconfiguration.openshift.io/role': 'worker' } },
      spec: {
        config: {
          ignition: { version: '3.5.0' },
          storage: {
            files: paths.map((path) => ({ path, contents: { compression: 'gzip', source: LARGE } })),
          },
        },
      },
    });
  const LARGE = `data:;base64,${gzipSync(new Uint8Array(40 * 1024 ** 2)).toString('base64')}`;

  test.each([
    ['in one MachineConfig', [manifest('99-large', '/etc/a', '/etc/b')]],
    ['only together', [manifest('98-large', '/etc/a'), manifest('99-large', '/etc/b')]],
  ])('are refused in one line that names the file: %s', async (_, documents) => {
    const folder = mkdtempSync(join(tmpdir(), 'millwright-packed-'));
    documents.forEach((text, index) => {
      writeFileSync(join(folder, `large-${index}.json`), text);
    });
    const { exitCode, stdout, stderr } = await runCli([
      'render',
      '--pool',
      'worker',
      'cluster/pools.yaml',
      folder,
    ]);
    rmSync(folder, { recursive: true });
    expect([exitCode, stdout]).toEqual([1, '']);
    const lines = stderr.split('\n').filter((line) => line.includes('unpack'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /large-0\.json.*: the packed contents of 2 files unpack to 83886080 bytes, and those of a config may unpack to 67108864 at most; the largest is \/etc\/a with 41943040 bytes$/,
    );
  });
});

describe('help', () => {
  test.each([
    ['help', '--help'],
    ['help-render', 'help render'],
    ['unknown-command', 'rendr cluster'],
    ['unknown-option', 'render --poool worker cluster'],
    ['unknown-format', 'render -o xml cluster'],
    ['no-path', 'render'],
  ])('%s', async (name, line) => {
    const args = line.split(' ');
    await expect(transcript(args, await runCli(args))).toMatchFileSnapshot(golden(name));
  });

  test('is printed without a command', async () => {
    expect(await runCli([])).toEqual(await runCli(['--help']));
  });

  test('--version prints the version of the package and nothing else', async () => {
    const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));
    expect(await runCli(['--version'])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
  });
});
