/** `millwright completion`, and what `millwright __complete` answers to the scripts and to kubectl. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { machineConfigPool } from '../../src/api/index.ts';
import { silentLog, systemClock, systemRandom } from '../../src/base/env.ts';
import { createKube } from '../../src/kubernetes/client/index.ts';
import { readKubeconfig } from '../../src/kubernetes/client/kubeconfig-node.ts';
import { createNodeTransport } from '../../src/kubernetes/client/transport-node.ts';
import { node } from '../../src/kubernetes/types/index.ts';
import { aPool } from '../support/build.ts';
import { packageRoot, runCli, transcript } from './run-cli.ts';
import { type RunningApiserver, startApiserver } from './start-apiserver.ts';

const FILES = ':0';
const NOTHING_ELSE = ':4';
const FOLDERS = ':16';

/** The candidates without descriptions, and the directive. A quoted `''` is an empty word. */
async function answer(line: string, cwd?: string): Promise<readonly string[]> {
  const words = line.split(' ').map((word) => (word === "''" ? '' : word));
  const run = await runCli(['__complete', ...words], cwd === undefined ? {} : { cwd });
  expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  return run.stdout
    .trimEnd()
    .split('\n')
    .map((text) => text.split('\t')[0] ?? '');
}

it('`millwright help completion` matches the golden file', async () => {
  const args = ['help', 'completion'];
  const golden = join(packageRoot, 'test/golden/cli/help-completion.txt');
  await expect(transcript(args, await runCli(args))).toMatchFileSnapshot(golden);
});

it.each(['bash', 'zsh', 'fish'])('prints a script for %s', async (shell) => {
  const run = await runCli(['completion', shell]);
  expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  expect(run.stdout).toContain(`# ${shell} completion of millwright\n`);
});

it('rejects an unknown shell with one line', async () => {
  expect(await runCli(['completion', 'tcsh'])).toEqual({
    exitCode: 2,
    stdout: '',
    stderr:
      "millwright: command-argument value 'tcsh' is invalid for argument 'SHELL'. Allowed choices are bash, zsh, fish.\n",
  });
});

describe('completion offers', () => {
  it.each([
    ['commands', 'sta', ['status', NOTHING_ELSE]],
    ['commands after help', 'help unin', ['uninstall', NOTHING_ELSE]],
    ['subcommands', 'server p', ['pointer', NOTHING_ELSE]],
    ['flags', 'status --w', ['--watch', NOTHING_ELSE]],
    ['flags of a subcommand', 'node add --p', ['--pool', NOTHING_ELSE]],
    ['choices of a flag', 'status -o j', ['json', NOTHING_ELSE]],
    ['choices of a flag with an equals sign', 'status --output=j', ['--output=json', NOTHING_ELSE]],
    ['choices of an argument', 'node worker-0 re', ['reboot', NOTHING_ELSE]],
    ['the same after flags with values', 'node --data-dir x worker-0 pi', ['pivot', NOTHING_ELSE]],
    ['files', "apply -f ''", [FILES]],
    ['files as arguments', 'render exam', [FILES]],
    ['folders', "status --data-dir ''", [FOLDERS]],
    ['nothing for a number', "prune --keep ''", [NOTHING_ELSE]],
    ['nothing after an unknown command', "nosuch ''", [NOTHING_ELSE]],
    ['nothing where no argument is expected', "prune ''", [NOTHING_ELSE]],
    ['arguments after two dashes', 'node -- worker-0 reb', ['reboot', NOTHING_ELSE]],
    ['no flags after two dashes', 'status -- --w', [NOTHING_ELSE]],
    ['nothing for the value of an unknown flag', 'status --nosuch=a', [NOTHING_ELSE]],
  ])('%s: `%s`', async (_, line, expected) => {
    expect(await answer(line)).toEqual(expected);
  });

  it('all commands that help lists, and none that it hides', async () => {
    const listed = (await runCli(['help'])).stdout;
    const commands = (await answer("''")).filter((word) => !word.startsWith(':'));
    const [, shown = ''] = /^Commands:\n((?: {2}.*\n)+)/m.exec(listed) ?? [];
    const names = [...shown.matchAll(/^ {2}([a-z]\S*)/gm)].map(([, name = '']) => name);
    expect(commands.length).toBeGreaterThan(10);
    expect(commands).toEqual(names);
    expect(commands).not.toContain('push-image');
  });

  it('a description in one line beside each', async () => {
    const { stdout } = await runCli(['__complete', 'prune', '--dry']);
    expect(stdout).toBe('--dry-run\tdelete nothing\n:4\n');
  });
});

describe('completion with a cluster', () => {
  let cwd = '';
  let server: RunningApiserver;
  beforeAll(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'millwright-completion-'));
    server = await startApiserver(['--port', '0'], cwd);
    const access = await readKubeconfig(join(cwd, server.kubeconfig));
    const transport = createNodeTransport({ access, clock: systemClock });
    const { signal } = new AbortController();
    const env = { clock: systemClock, random: systemRandom, log: silentLog, signal };
    const kube = createKube({ transport, env, fieldManager: 'test' });
    for (const name of ['worker', 'infra']) await kube.create(machineConfigPool, aPool(name));
    for (const name of ['worker-0', 'worker-1']) {
      await kube.create(node, { apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: {} });
    }
    transport.close();
  });
  afterAll(async () => {
    await server.stop();
    rmSync(cwd, { recursive: true });
  });

  it.each([
    ['pools', "status ''", ['infra', 'worker', NOTHING_ELSE]],
    ['more pools', 'status infra wor', ['worker', NOTHING_ELSE]],
    ['pools of a flag', 'prune --pool=in', ['--pool=infra', NOTHING_ELSE]],
    ['nodes beside subcommands', "node ''", ['add', 'remove', 'worker-0', 'worker-1', NOTHING_ELSE]],
    ['nodes of a command', 'retry worker-1', ['worker-1', NOTHING_ELSE]],
    ['nodes of a subcommand', 'node remove worker-1', ['worker-1', NOTHING_ELSE]],
    ['what may be diagnosed', "doctor ''", ['infra', 'worker', 'worker-0', 'worker-1', NOTHING_ELSE]],
    ['no nodes for the name of a new one', "node add --name ''", [NOTHING_ELSE]],
  ])('offers names of %s: `%s`', async (_, line, expected) => {
    expect(await answer(line, cwd)).toEqual(expected);
  });

  it('asks the cluster that the line selects', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'millwright-completion-'));
    const kubeconfig = join(cwd, server.kubeconfig);
    expect(await answer(`status --kubeconfig ${kubeconfig} in`, folder)).toEqual(['infra', NOTHING_ELSE]);
    expect(await answer(`status --kubeconfig=${kubeconfig} in`, folder)).toEqual(['infra', NOTHING_ELSE]);
    rmSync(folder, { recursive: true });
  });

  it('offers nothing, and reports nothing, where there is no cluster', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'millwright-completion-'));
    writeFileSync(join(folder, 'broken'), 'token: "hunter2');
    expect(await answer("status ''", folder)).toEqual([NOTHING_ELSE]);
    expect(await answer("status --kubeconfig broken ''", folder)).toEqual([NOTHING_ELSE]);
    rmSync(folder, { recursive: true });
  });
});

describe('as a plugin of kubectl, the program', () => {
  const environment = { MILLWRIGHT_CALLED_AS: 'kubectl millwright' };

  it('says its name in usage and examples', async () => {
    const { stdout } = await runCli(['help', 'status'], { environment });
    expect(stdout).toMatch(/^Usage: kubectl millwright status \[OPTIONS\] \[POOL\.\.\.\]\n/);
    expect(stdout).toContain('\n  kubectl millwright status --watch worker\n');
    expect(stdout).not.toMatch(/^ *millwright /m);
  });

  it('believes no other name', async () => {
    const { stdout } = await runCli(['help', 'status'], { environment: { MILLWRIGHT_CALLED_AS: 'rm -rf' } });
    expect(stdout).toMatch(/^Usage: millwright status /);
  });
});
