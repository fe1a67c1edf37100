import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect, type HttpClient } from '../contract/http-client.ts';
import { readKubeconfig } from '../kubernetes/kubeconfig.ts';
import { packageRoot, runCli, transcript } from './run-cli.ts';
import { type RunningApiserver, startApiserver } from './start-apiserver.ts';

let cwd = '';
let running: RunningApiserver[] = [];
let clients: HttpClient[] = [];
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'millwright-apiserver-'));
});
afterEach(async () => {
  for (const client of clients) client.close();
  for (const one of running) await one.stop();
  [running, clients] = [[], []];
  rmSync(cwd, { recursive: true });
});

async function start(...args: readonly string[]): Promise<RunningApiserver> {
  const one = await startApiserver(args, cwd);
  running.push(one);
  return one;
}

async function clientOf({ kubeconfig }: RunningApiserver): Promise<HttpClient> {
  const { url, caPem, admin } = await readKubeconfig(join(cwd, kubeconfig));
  const client = connect({ url, ca: caPem, admin });
  clients.push(client);
  return client;
}

const aConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept' }, data: { k: 'v' } };
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

describe('`millwright apiserver` fails with one line', () => {
  it.each([
    [
      '--port x',
      "millwright: option '--port <N>' argument 'x' is invalid. Must be a number from 0 to 65535.\n",
    ],
    ['--port 65536', expect.stringContaining('Must be a number')],
    ['--port -1', expect.stringContaining('Must be a number')],
    ['--port', expect.stringContaining('argument missing')],
    ['now', expect.stringContaining('too many arguments')],
    ['--token-auth-file none.csv', 'millwright: none.csv: no such file or directory\n'],
    ['--token-auth-file .', 'millwright: .: is a directory\n'],
    ['--token-auth-file bad.csv', expect.stringContaining('bad.csv: line 1: must have at least 3 columns')],
    ['--data-dir=', "millwright: option '--data-dir <DIR>' argument '' is invalid. Must not be empty.\n"],
    [
      '--data-dir bad.csv',
      expect.stringMatching(
        /^millwright: the directory .*bad\.csv cannot be used: not a directory: choose another with --data-dir\n$/,
      ),
    ],
    ['--data-dir bad.csv/below', expect.stringContaining('cannot be used: not a directory')],
    [
      '--data-dir /proc/millwright',
      expect.stringMatching(
        /^millwright: the directory \/proc\/millwright cannot be used: .*: choose another with --data-dir\n$/,
      ),
    ],
    [
      '--data-dir .',
      expect.stringMatching(
        /^millwright: the directory .* is not empty and is not a data directory of Millwright: choose another with --data-dir\n$/,
      ),
    ],
  ])('for apiserver %s', async (line, stderr) => {
    writeFileSync(join(cwd, 'bad.csv'), 'a,b\n');
    const run = await runCli(['apiserver', ...line.split(' ')], { cwd });
    expect(run).toEqual({ exitCode: 2, stdout: '', stderr });
    expect(run.stderr).toMatch(/^[^\n]+\n$/);
  });

  it('if the kubeconfig points to another cluster, and does not change it', async () => {
    const one = await start('--port', '0');
    await one.stop();
    const path = join(cwd, one.kubeconfig);
    const foreign =
      'apiVersion: v1\nkind: Config\nclusters: [{name: prod, cluster: {server: "https://prod"}}]\n';
    writeFileSync(path, foreign);
    expect(await runCli(['apiserver', '--port', '0'], { cwd })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `millwright: ${path} refers to another cluster and is left unchanged: move it away, or choose another directory with --data-dir\n`,
    });
    expect(readFileSync(path, 'utf8')).toBe(foreign);
  });

  it('if a key is damaged', async () => {
    await (await start('--port', '0')).stop();
    writeFileSync(join(cwd, '.millwright/pki/ca.crt'), 'garbage\n');
    expect(await runCli(['apiserver', '--port', '0'], { cwd })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `millwright: ${join(cwd, '.millwright/pki')}: a certificate or a key is damaged: move the directory away to create it again\n`,
    });
  });

  it('if the port is in use, and leaves nothing behind', async () => {
    const listener = createServer();
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const address = listener.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    try {
      expect(await runCli(['apiserver', '--port', String(port)], { cwd })).toEqual({
        exitCode: 2,
        stdout: '',
        stderr: `millwright: port ${port} is taken: choose another with --port, or 0 for any free port\n`,
      });
      expect(readdirSync(cwd)).toEqual([]);
      mkdirSync(join(cwd, 'empty'));
      await runCli(['apiserver', '--port', String(port), '--data-dir', 'empty'], { cwd });
      expect(readdirSync(join(cwd, 'empty'))).toEqual([]);
    } finally {
      listener.close();
    }
    await start('--port', '0');
  });

  it('if the data directory is in use', async () => {
    await start('--port', '0');
    expect(await runCli(['apiserver', '--port', '0'], { cwd })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^millwright: the store in .*: it is open in this process already .*: stop that process, or choose another directory with --data-dir\n$/,
      ),
    });
  });
});

describe('a running server', () => {
  it('prints its address in one line', async () => {
    const one = await start('--port', '0');
    expect(one.readyLine).toMatch(
      /^ready kubeconfig=\.millwright\/kubeconfig server=https:\/\/127\.0\.0\.1:\d+\n$/,
    );
    expect(await one.stop()).toMatchObject({ exitCode: 0, stdout: one.readyLine });
  });

  it('serves the CRDs, and has a cluster administrator', async () => {
    const client = await clientOf(await start('--port', '0'));
    const pools = '/apis/machineconfiguration.openshift.io/v1/machineconfigpools';
    expect((await client.request('GET', pools)).json).toMatchObject({
      kind: 'MachineConfigPoolList',
      items: [],
    });
    const review = await client.request('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    });
    expect(review.json.status?.userInfo).toMatchObject({
      username: 'millwright-admin',
      groups: ['system:masters', 'system:authenticated'],
    });
  });

  it('keeps its objects over a restart, and updates the port in the kubeconfig', async () => {
    const first = await start('--data-dir', 'deep/dir', '--port', '0');
    expect((await (await clientOf(first)).request('POST', CONFIG_MAPS, { body: aConfigMap })).status).toBe(
      201,
    );
    expect(await first.stop()).toMatchObject({ exitCode: 0 });
    const second = await start('--data-dir', 'deep/dir', '--port', '0');
    expect(second.kubeconfig).toBe('deep/dir/kubeconfig');
    const again = await (await clientOf(second)).request('GET', `${CONFIG_MAPS}/kept`);
    expect(again.json).toMatchObject({ data: { k: 'v' } });
    expect(statSync(join(cwd, second.kubeconfig)).mode & 0o777).toBe(0o600);
  });

  it('keeps changes to the kubeconfig when the port changes', async () => {
    const first = await start('--port', '0');
    const path = join(cwd, first.kubeconfig);
    await first.stop();
    const text = readFileSync(path, 'utf8').replace('    cluster: millwright\n', '$&    namespace: mine\n');
    writeFileSync(path, text);
    const second = await start('--port', '0');
    expect(second.url).not.toBe(first.url);
    expect(readFileSync(path, 'utf8')).toBe(text.replace(first.url, second.url));
  });

  it('accepts an empty data directory', async () => {
    mkdirSync(join(cwd, 'empty'));
    await start('--port', '0', '--data-dir', 'empty');
    expect(readdirSync(join(cwd, 'empty')).sort()).toEqual(['apiserver', 'kubeconfig', 'pki']);
  });

  it('closes watches when it stops', async () => {
    const one = await start('--port', '0');
    const client = await clientOf(one);
    const watch = await client.watch(`${CONFIG_MAPS}?watch=1`);
    await client.request('POST', CONFIG_MAPS, { body: aConfigMap });
    expect((await watch.next())?.type).toBe('ADDED');
    const begin = performance.now();
    expect(await one.stop()).toMatchObject({ exitCode: 0 });
    expect(performance.now() - begin).toBeLessThan(5_000);
  });

  it('authenticates the users of a token file', async () => {
    writeFileSync(join(cwd, 'users.csv'), 'secret,alice,1,"builders,auditors"\n');
    const client = await clientOf(await start('--port', '0', '--token-auth-file', 'users.csv'));
    const review = await client.request('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
      user: { token: 'secret' },
    });
    expect(review.json.status?.userInfo).toMatchObject({
      username: 'alice',
      groups: ['builders', 'auditors', 'system:authenticated'],
    });
    expect((await client.request('GET', '/api', { user: { token: 'other' } })).status).toBe(401);
  });

  it('that is stopped before it is ready prints no ready line', async () => {
    const run = await runCli(['apiserver', '--port', '0'], { cwd, onStop: (call) => call() });
    expect(run).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  });
});

it('`millwright apiserver --help` matches the golden file', async () => {
  const args = ['help', 'apiserver'];
  const golden = join(packageRoot, 'test/golden/cli/help-apiserver.txt');
  await expect(transcript(args, await runCli(args))).toMatchFileSnapshot(golden);
});
