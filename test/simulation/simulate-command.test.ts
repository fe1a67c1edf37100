/**
 * `millwright simulate` over files: what it prints in each form, its exit codes, and that the same seeds give the same output.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot, runCli, transcript } from '../cli/run-cli.ts';
import { schemaProblems } from '../support/json-schema.ts';

const cwd = join(packageRoot, 'test/simulation/fixtures');
const goldenOf = (name: string) => join(packageRoot, 'test/golden/simulate', `${name}.txt`);
const FROM = ['simulate', '--from', 'cluster.yaml'];
type RunOptions = NonNullable<Parameters<typeof runCli>[1]>;
const simulate = (args: readonly string[], options: RunOptions = {}) =>
  runCli([...FROM, ...args], { cwd, ...options });
const schema = JSON.parse(readFileSync(join(packageRoot, 'docs/schemas/simulate.schema.json'), 'utf8'));

const NODES = ['worker-0', 'worker-1', 'worker-2', 'worker-3'];
const REBOOT = ['-f', 'reboot.yaml'];
const LOST = [...REBOOT, '--seeds', '1', '--fault', 'node-lost=worker-2', '--max-unavailable', '50%'];

describe('millwright simulate', () => {
  it.each([
    ['reboot', [...REBOOT, '--seeds', '2'], {}],
    [
      'narrow',
      [...REBOOT, '--seeds', '1'],
      { terminal: { columns: 44, rows: 20 }, environment: { NO_COLOR: '1' } },
    ],
    ['lost-node', LOST, {}],
  ])('prints the simulation %s', async (name, args, options) => {
    // Progress depends on the time that a run takes.
    const run = { ...(await simulate(args, options)), stderr: '' };
    await expect(transcript([...FROM, ...args], run)).toMatchFileSnapshot(goldenOf(name));
  });

  it('explains itself', async () => {
    const run = await runCli(['help', 'simulate']);
    const golden = join(packageRoot, 'test/golden/cli/help-simulate.txt');
    await expect(transcript(['help', 'simulate'], run)).toMatchFileSnapshot(golden);
  });

  it('prints JSON that fits the published schema', async () => {
    const args = [...REBOOT, '--seeds', '2', '-o', 'json'];
    const run = { ...(await simulate(args)), stderr: '' };
    expect(schemaProblems(schema, JSON.parse(run.stdout))).toEqual([]);
    await expect(transcript([...FROM, ...args], run)).toMatchFileSnapshot(goldenOf('json'));
  });

  it('ends at once where no node moves', async () => {
    const { exitCode, stdout } = await simulate(['--seeds', '1']);
    expect([exitCode, stdout]).toEqual([0, 'no node moves\n']);
  });

  it.each([
    ['the change is invalid', ['-f', 'invalid.yaml'], 1],
    ['an object to delete does not exist', ['--delete', 'mc/99-none'], 1],
    ['a file does not exist', ['-f', 'absent.yaml'], 2],
    ['a fault is unknown', [...REBOOT, '--fault', 'node-los=worker-0'], 2],
    ['the node of a fault does not exist', [...REBOOT, '--fault', 'node-lost=worker-9'], 2],
    ['a fault has no value', [...REBOOT, '--fault', 'registry-down'], 2],
    ['a percentage is too large', [...REBOOT, '--max-unavailable', '101%'], 2],
    ['a number of seeds is none', [...REBOOT, '--seeds', '0'], 2],
    ['a fault ends before it begins', [...REBOOT, '--fault', 'registry-down=-5m'], 2],
    ['minutes are none', [...REBOOT, '--node-minutes', '-1'], 2],
  ])('says by its exit code that %s, and simulates nothing', async (_, args, exitCode) => {
    const run = await simulate(args);
    expect([run.exitCode, run.stdout]).toEqual([exitCode, '']);
    if (exitCode === 2) expect(run.stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('takes the archive of a dump, with the pods and budgets that it has', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'millwright-simulate-'));
    try {
      const archive = join(folder, 'dump.tar.gz');
      writeDump(join(folder, 'dump'), join(cwd, 'cluster.yaml'));
      execFileSync('tar', ['-czf', archive, '-C', folder, 'dump']);
      const args = ['-f', 'reboot.yaml', '--seeds', '1', '-o', 'json'];
      const { exitCode, stdout, stderr } = await runCli(['simulate', '--from', archive, ...args], { cwd });
      expect(exitCode, stderr).toBe(0);
      const { nodes } = JSON.parse(stdout);
      expect(nodes.map(({ name }: { readonly name: string }) => name).toSorted()).toEqual(NODES);
      // A node with a pod of the application is not drained at once.
      const [first] = nodes;
      const drain = first.phases.find(({ phase }: { readonly phase: string }) => phase === 'drain');
      expect(drain.toSeconds - drain.fromSeconds).toBeGreaterThan(0.5);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('says in notes what the plan warns about', async () => {
    const args = ['-f', 'unselected.yaml', '--seeds', '1'];
    const warning = 'MachineConfig/99-nobody: no pool selects its labels: it reaches no node';
    const { stdout } = await simulate(args);
    expect(stdout).toBe(`no node moves\n\nnotes\n  ${warning}\n`);
    const printed = JSON.parse((await simulate([...args, '-o', 'json'])).stdout);
    expect(printed.notes).toEqual([warning]);
  });

  it('says that a change is not rehearsed where it has nothing but a PinnedImageSet', async () => {
    const args = ['-f', 'pinned-images.yaml', '--seeds', '1'];
    const { exitCode, stdout } = await simulate(args);
    expect([exitCode, stdout.split('\n')[0]]).toEqual([
      0,
      'no node moves by what is rehearsed, and PinnedImageSet/shop is not: see notes',
    ]);
    const printed = JSON.parse((await simulate([...args, '-o', 'json'])).stdout);
    expect(printed.leftOut).toEqual(['PinnedImageSet/shop']);
    expect(schemaProblems(schema, printed)).toEqual([]);
  });

  it('simulates nothing on manifests that cannot be read, and names them', async () => {
    const run = await runCli(['simulate', ...fromFiles('cluster.yaml', 'broken.yaml'), ...REBOOT], { cwd });
    expect([run.exitCode, run.stdout]).toEqual([1, '']);
    expect(run.stderr).toMatch(
      /^broken\.yaml: line 1, .+\n1 problem in what --from names, nothing simulated\n$/,
    );
  });

  it('takes Pods and budgets without a namespace to be in default', async () => {
    const from = fromFiles('cluster.yaml', 'no-namespace.yaml');
    const change = ['-f', 'no-namespace.yaml', ...REBOOT, '--seeds', '1'];
    const { exitCode, stdout } = await runCli(['simulate', ...from, ...change], { cwd });
    expect(exitCode).toBe(3);
    expect(stdout).toContain('for pod default/lonely, which PodDisruptionBudget');
  });

  it('takes away a disruption budget that blocks, with --delete', async () => {
    const from = fromFiles('cluster.yaml', 'no-namespace.yaml');
    const args = [...from, ...REBOOT, '--delete', 'pdb/lonely', '--seeds', '1'];
    const { exitCode, stdout, stderr } = await runCli(['simulate', ...args], { cwd });
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).not.toContain('PodDisruptionBudget');
  });

  it('refuses manifests without Nodes, on which nothing can be rehearsed', async () => {
    const run = await runCli(['simulate', '--from', 'reboot.yaml', ...REBOOT], { cwd });
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining('there are no Nodes')]);
  });
});

function fromFiles(...files: readonly string[]): readonly string[] {
  return files.flatMap((file) => ['--from', file]);
}

/** In the layout of `millwright dump`. */
function writeDump(folder: string, manifests: string): void {
  for (const [index, text] of readFileSync(manifests, 'utf8').split('\n---\n').entries()) {
    const kind = /^kind: (\w+)$/m.exec(text)?.[1]?.toLowerCase() ?? '';
    const group = /^apiVersion: (?:(.+)\/)?/m.exec(text)?.[1] ?? 'core';
    const namespace = /namespace: (\w+)/.exec(text)?.[1];
    const place = namespace === undefined ? 'cluster-scoped-resources' : `namespaces/${namespace}`;
    const path = join(folder, place, group, `${kind}s`);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, `${index}.yaml`), text);
  }
  const about = {
    format: 'millwright-dump',
    version: 1,
    takenAt: '2026-11-01T12:00:00Z',
    kinds: [],
    unread: [],
  };
  writeFileSync(join(folder, 'dump.json'), JSON.stringify(about));
}
