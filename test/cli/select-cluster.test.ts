/** Which cluster a command works on: by its flags, by the environment, in its folder, in the home directory. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import { formatYaml, parseYaml } from '../../src/base/yaml/index.ts';
import { runCli } from './run-cli.ts';
import { type RunningApiserver, startApiserver } from './start-apiserver.ts';

let root = '';
let server: RunningApiserver;
/** With a running embedded cluster. */
let running = '';
/** With one that was stopped. */
let stopped = '';
/** Without one. */
let empty = '';
let home = '';

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'millwright-select-'));
  [running, stopped, empty, home] = ['running', 'stopped', 'empty', 'home'].map((name) => {
    mkdirSync(join(root, name));
    return join(root, name);
  }) as [string, string, string, string];
  const short = await startApiserver(['--port', '0'], stopped);
  await short.stop();
  server = await startApiserver(['--port', '0'], running);
});
afterAll(async () => {
  await server.stop();
  rmSync(root, { recursive: true });
});
beforeEach(() => rmSync(join(home, '.kube'), { recursive: true, force: true }));

/** The credentials of the running cluster in another place, with other names of its contexts. */
function kubeconfigAt(path: string, { contexts = ['prod'], url = server.url } = {}): string {
  const text = readFileSync(join(running, server.kubeconfig), 'utf8').replaceAll(server.url, url);
  const parsed = parseYaml(text);
  // We wrote it ourselves.
  const file = (parsed.kind === 'ok' ? parsed.value[0]?.value : {}) as {
    readonly contexts: readonly { readonly context: Json }[];
  };
  const changed = {
    ...file,
    contexts: contexts.map((name) => ({ name, context: file.contexts[0]?.context ?? {} })),
    'current-context': contexts[0] ?? '',
  };
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, formatYaml(changed));
  return path;
}

type Where = { readonly cwd: string; readonly environment?: { readonly [name: string]: string } };

/** What the command printed on stderr, once it has worked. */
async function used(line: string, { cwd, environment = {} }: Where): Promise<string> {
  const run = await runCli(['get', 'ns', 'default', '-o', 'name', ...words(line)], { cwd, environment });
  expect(run).toMatchObject({ exitCode: 0, stdout: 'namespace/default\n' });
  return run.stderr;
}

async function refused(line: string, { cwd, environment = {} }: Where): Promise<string> {
  const run = await runCli(['get', 'ns', 'default', ...words(line)], { cwd, environment });
  expect(run).toMatchObject({ exitCode: 2, stdout: '' });
  expect(run.stderr.trimEnd().split('\n')).toHaveLength(1);
  return run.stderr.trimEnd();
}

function words(line: string): readonly string[] {
  return line.split(' ').filter((word) => word !== '');
}

const fromHome = () => join(home, '.kube/config');

describe('without a usable cluster, a command says in one line', () => {
  it('what it has looked at', async () => {
    const end = 'with `millwright up`, or give a kubeconfig with --kubeconfig';
    expect(await refused('', { cwd: empty })).toBe(
      `millwright: no cluster: $KUBECONFIG is not set, there is no cluster in .millwright, and $HOME is not set: start one ${end}`,
    );
    expect(await refused('', { cwd: stopped, environment: { HOME: home } })).toMatch(
      /^millwright: no cluster: \$KUBECONFIG is not set, the cluster in \.millwright is not running \(https:\S+ is unreachable\), and \S+\/home\/\.kube\/config does not exist: start it with `millwright up`/,
    );
  });

  it('that $KUBECONFIG names no file that exists, and uses no other cluster', async () => {
    kubeconfigAt(fromHome());
    const environment = { HOME: home, KUBECONFIG: 'a' };
    expect(await refused('', { cwd: running, environment })).toBe(
      `millwright: $KUBECONFIG names ${join(running, 'a')}, which does not exist: correct or unset it, or give a kubeconfig with --kubeconfig`,
    );
    const several = { HOME: home, KUBECONFIG: ':a::b:' };
    expect(await refused('--context prod', { cwd: running, environment: several })).toContain(
      `$KUBECONFIG names ${join(running, 'a')}:${join(running, 'b')}, none of which exists`,
    );
  });

  it('which contexts there are instead of an unknown one', async () => {
    const path = kubeconfigAt(join(root, 'two'), { contexts: ['dev', 'prod'] });
    const message = `millwright: kubeconfig ${path}: contexts: there is no context "prodd" (did you mean prod?); contexts: dev, prod`;
    expect(await refused(`--kubeconfig ${path} --context prodd`, { cwd: empty })).toBe(message);
    const environment = { KUBECONFIG: path };
    expect(await refused('--context prodd', { cwd: running, environment })).toBe(message);
  });

  it('that there is no kubeconfig with the given context', async () => {
    expect(await refused('--context prod', { cwd: running, environment: { HOME: home } })).toBe(
      `millwright: --context: there is no kubeconfig: $KUBECONFIG is not set, and ${fromHome()} does not exist`,
    );
  });

  it('which kubeconfig cannot be read', async () => {
    const secret = join(root, 'folder');
    mkdirSync(secret);
    const environment = { KUBECONFIG: secret, HOME: home };
    expect(await refused('', { cwd: running, environment })).toBe(
      `millwright: kubeconfig ${secret} cannot be read (EISDIR)`,
    );
    mkdirSync(dirname(fromHome()));
    writeFileSync(fromHome(), 'token: "hunter2');
    expect(await refused('', { cwd: empty, environment: { HOME: home } })).toBe(
      `millwright: kubeconfig ${fromHome()}: it is no YAML`,
    );
  });

  it('that --data-dir and --context contradict one another', async () => {
    expect(await refused('--data-dir .millwright --context a', { cwd: running })).toBe(
      'millwright: give --context or --data-dir, which names an embedded cluster, not both',
    );
  });
});

describe('a command uses', () => {
  it('the cluster of --kubeconfig and --context before all others, and does not comment on it', async () => {
    const given = kubeconfigAt(join(root, 'given'), { contexts: ['dev', 'prod'] });
    const environment = { KUBECONFIG: 'absent', HOME: home };
    expect(await used(`--kubeconfig ${given}`, { cwd: stopped, environment })).toBe('');
    expect(await used(`--kubeconfig ${given} --context prod`, { cwd: stopped, environment })).toBe('');
    expect(await used(`--kubeconfig ${given} --data-dir absent`, { cwd: stopped, environment })).toBe('');
  });

  it('the embedded cluster of --data-dir before all that is not given', async () => {
    const environment = { KUBECONFIG: 'absent', HOME: home };
    expect(await used(`--data-dir ${join(running, '.millwright')}`, { cwd: empty, environment })).toBe('');
  });

  it('a context of $KUBECONFIG, else of ~/.kube/config, where only --context is given', async () => {
    kubeconfigAt(fromHome(), { contexts: ['dev', 'prod'] });
    expect(await used('--context prod', { cwd: running, environment: { HOME: home } })).toBe('');
    const KUBECONFIG = kubeconfigAt(join(root, 'env'), { contexts: ['test'] });
    expect(await used('--context test', { cwd: running, environment: { HOME: home, KUBECONFIG } })).toBe('');
  });

  it('$KUBECONFIG before the cluster of the folder, also if it is a list, and says so', async () => {
    const path = kubeconfigAt(join(root, 'listed'));
    const environment = { KUBECONFIG: `${join(root, 'absent')}:${path}` };
    expect(await used('', { cwd: running, environment })).toBe(
      `cluster: ${server.url} (context prod of ${path})\n`,
    );
  });

  it('$KUBECONFIG without a comment where it names the cluster of the folder', async () => {
    const environment = { KUBECONFIG: '.millwright/kubeconfig' };
    expect(await used('', { cwd: running, environment })).toBe('');
  });

  it('the cluster that runs in the folder before ~/.kube/config, without a comment', async () => {
    kubeconfigAt(fromHome(), { url: 'https://127.0.0.1:9' });
    expect(await used('', { cwd: running, environment: { HOME: home, KUBECONFIG: '' } })).toBe('');
  });

  it('~/.kube/config last, and says so', async () => {
    kubeconfigAt(fromHome());
    expect(await used('', { cwd: empty, environment: { HOME: home } })).toBe(
      `cluster: ${server.url} (context prod of ${fromHome()})\n`,
    );
  });

  it('~/.kube/config where the cluster in the folder is stopped, and says that, too', async () => {
    kubeconfigAt(fromHome());
    expect(await used('', { cwd: stopped, environment: { HOME: home } })).toBe(
      `cluster: ${server.url} (context prod of ${fromHome()}); the cluster in .millwright is not running\n`,
    );
  });
});

describe('a cluster in the folder counts as', () => {
  it('stopped where something else has taken its port', async () => {
    const foreign = mkdtempSync(join(root, 'foreign-'));
    const path = join(foreign, '.millwright/kubeconfig');
    mkdirSync(dirname(path));
    // Its authority is the one of the stopped cluster, its port that of the running one.
    const text = readFileSync(join(stopped, '.millwright/kubeconfig'), 'utf8');
    writeFileSync(path, text.replace(/server: \S+/, `server: ${server.url}`));
    kubeconfigAt(fromHome());
    expect(await used('', { cwd: foreign, environment: { HOME: home } })).toMatch(
      /; the cluster in \.millwright is not running\n$/,
    );
  });

  it('running where it takes long to answer: the command turns to no other cluster', async () => {
    const slow = mkdtempSync(join(root, 'slow-'));
    let connections = 0;
    // The first one gets no answer; the next one is closed, so that the test need not wait for longer.
    const mute = createServer((socket) => {
      socket.on('error', () => undefined);
      if (connections++ > 0) socket.destroy();
    });
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const address = mute.address();
    const url = `https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    kubeconfigAt(join(slow, '.millwright/kubeconfig'), { url });
    kubeconfigAt(fromHome());
    try {
      expect(await refused('', { cwd: slow, environment: { HOME: home } })).toContain(
        `millwright: the cluster in .millwright is unreachable at ${url}: `,
      );
    } finally {
      mute.close();
    }
  });
});

it('`millwright status` names the cluster once, and prints data alone on stdout', async () => {
  kubeconfigAt(fromHome());
  const run = await runCli(['status', '-o', 'json'], { cwd: empty, environment: { HOME: home } });
  expect(run.stderr).toBe(`cluster: ${server.url} (context prod of ${fromHome()})\n`);
  expect(JSON.parse(run.stdout)).toMatchObject({ pools: [] });
});
