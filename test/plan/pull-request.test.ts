/**
 * The example for pull requests: its script on a repository, and the step of its workflow that runs the script, as a runner does.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { packageRoot } from '../cli/run-cli.ts';

const fixtures = join(packageRoot, 'test/plan/fixtures');
const SCRIPT = join(packageRoot, 'examples/ci/plan.sh');

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millwright-plan-'));
  cpSync(join(fixtures, 'cluster'), join(folder, 'machineconfigs'), { recursive: true });
  cpSync(join(fixtures, 'changes/live.yaml'), join(folder, 'machineconfigs/time.yaml'));
  git('init', '-q', '-b', 'main');
  commit('base');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Ran = { readonly status: number | null; readonly stdout: string; readonly stderr: string };

function run(program: string, args: readonly string[], environment: object = {}): Ran {
  const env = { ...process.env, MILLWRIGHT: join(packageRoot, 'bin/millwright'), ...environment };
  return spawnSync(program, args, { cwd: folder, env, encoding: 'utf8' });
}

function git(...args: readonly string[]): void {
  const { status, stderr } = run('git', ['-c', 'user.name=a', '-c', 'user.email=a@example', ...args]);
  expect([status, stderr]).toEqual([0, '']);
}

function commit(message: string): void {
  git('add', '-A');
  git('commit', '-qm', message);
}

const plan = (...args: readonly string[]) => run('sh', [SCRIPT, ...args]);
const inFolder = (path: string) => join(folder, 'machineconfigs', path);

describe('the script for pull requests', () => {
  it('writes the plan of a branch as Markdown, with what the branch deletes', () => {
    rmSync(inFolder('time.yaml'));
    mkdirSync(inFolder('more'));
    cpSync(join(fixtures, 'changes/reboot.yaml'), inFolder('more/reboot.yaml'));
    expect(plan('machineconfigs', 'main', 'plan.md')).toMatchObject({ status: 4, stdout: '' });
    const markdown = readFileSync(join(folder, 'plan.md'), 'utf8');
    expect(markdown).toContain('+ unit chronyd.service');
    expect(markdown).toContain('- file /etc/containers/policy.json');
    expect(markdown).not.toContain('top-secret');
  });

  it('writes nothing but Markdown to standard output, and says that no node changes', () => {
    const { status, stdout } = plan('machineconfigs', 'main');
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/^### Millwright plan\n\n\*\*No node changes/),
    ]);
  });

  it('plans a folder that the base does not have', () => {
    git('mv', 'machineconfigs', 'configs');
    const { status, stdout } = plan('configs', 'main');
    expect([status, stdout]).toEqual([4, expect.stringContaining('+ file /etc/chrony.conf')]);
  });

  it('ends with the problems of manifests that are invalid, and plans nothing', () => {
    writeFileSync(inFolder('bad.yaml'), 'kind: MachineConfig\n');
    const { status, stdout, stderr } = plan('machineconfigs', 'main');
    expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining('machineconfigs/bad.yaml')]);
  });

  it.each([
    [['machineconfigs'], 'usage: plan.sh FOLDER BASE [OUTPUT]'],
    [['machineconfigs', 'nowhere'], 'plan.sh: there is no commit nowhere: fetch it first'],
  ])('is unusable with %j', (args, message) => {
    expect(plan(...args)).toMatchObject({ status: 2, stderr: `${message}\n` });
  });
});

describe('the workflow for pull requests', () => {
  const workflow = parse(readFileSync(join(packageRoot, 'examples/ci/pull-request.yaml'), 'utf8'));
  const steps: readonly { readonly id?: string; readonly run?: string }[] = workflow.jobs.plan.steps;

  /** As a runner runs the step of the plan. */
  function runStep() {
    mkdirSync(join(folder, '.github'), { recursive: true });
    cpSync(SCRIPT, join(folder, '.github/plan.sh'));
    const [output, summary] = ['output', 'summary'].map((name) => join(folder, '.git', name));
    const environment = { GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary, BASE: 'main' };
    const { status } = run(
      'bash',
      ['-e', '-c', steps.find(({ id }) => id === 'plan')?.run ?? ''],
      environment,
    );
    const textOf = (path = '') => (existsSync(path) ? readFileSync(path, 'utf8') : '');
    return { status, output: textOf(output), summary: textOf(summary) };
  }

  it('passes on the exit code of a plan with reboots, and its Markdown as the summary', () => {
    cpSync(join(fixtures, 'changes/reboot.yaml'), inFolder('reboot.yaml'));
    expect(runStep()).toEqual({
      status: 0,
      output: 'code=4\n',
      summary: expect.stringContaining('### Millwright plan'),
    });
  });

  it('fails where the manifests are invalid', () => {
    writeFileSync(inFolder('bad.yaml'), 'kind: MachineConfig\n');
    expect(runStep()).toEqual({ status: 1, output: 'code=1\n', summary: '' });
  });

  it('runs again when somebody approves by a label', () => {
    expect(workflow.on.pull_request.types).toContain('labeled');
  });
});
