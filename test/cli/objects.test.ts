/** The kubectl-like commands against `millwright apiserver`. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, type HttpClient } from '../contract/http-client.ts';
import { readKubeconfig } from '../kubernetes/kubeconfig.ts';
import { type CliRun, packageRoot, runCli, transcript } from './run-cli.ts';
import { runUntil } from './run-until.ts';
import { type RunningApiserver, startApiserver } from './start-apiserver.ts';

let cwd = '';
let server: RunningApiserver;
let client: HttpClient;
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'millwright-objects-'));
  server = await startApiserver(['--port', '0'], cwd);
  const { url, caPem, admin } = await readKubeconfig(join(cwd, server.kubeconfig));
  client = connect({ url, ca: caPem, admin });
});
afterAll(async () => {
  client.close();
  await server.stop();
  rmSync(cwd, { recursive: true });
});

const run = (line: string, stdin?: string): Promise<CliRun> =>
  runCli(line.split(' '), { cwd, ...(stdin === undefined ? {} : { stdin }) });

async function ok(line: string, stdin?: string): Promise<string> {
  const { exitCode, stdout, stderr } = await run(line, stdin);
  expect({ line, exitCode, stderr }).toEqual({ line, exitCode: 0, stderr: '' });
  return stdout;
}

async function refused(line: string, exitCode: number, stdin?: string): Promise<string> {
  const answer = await run(line, stdin);
  expect({ line, exitCode: answer.exitCode }).toEqual({ line, exitCode });
  expect(answer.stderr).toMatch(/^(millwright: [^\n]+\n)+$/);
  return answer.stderr.trimEnd();
}

const configMap = (name: string, value = 'one', labels = '{app: story}') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, labels: ${labels}}\ndata: {k: ${value}}\n`;
const POOL = 'machineconfigpool.machineconfiguration.openshift.io';
const pool = `apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfigPool
metadata: {name: worker}
spec:
  machineConfigSelector: {matchLabels: {machineconfiguration.openshift.io/role: worker}}
  nodeSelector: {matchLabels: {node-role.kubernetes.io/worker: ""}}
`;

async function setCondition(type: string, status: string): Promise<void> {
  const condition = {
    type,
    status,
    lastTransitionTime: '2026-01-01T00:00:00Z',
    reason: 'Because',
    message: 'as expected',
  };
  const answer = await client.request(
    'PATCH',
    '/apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker/status',
    { contentType: 'application/merge-patch+json', body: { status: { conditions: [condition] } } },
  );
  expect(answer.status).toBe(200);
}

describe('an unusable command line is rejected with one line', () => {
  it.each([
    ['get', "missing required argument 'KIND'"],
    ['get machneconfigs', 'the server has no resource "machneconfigs" (did you mean machineconfigs?)'],
    ['get mcp/', '"mcp/" is not KIND/NAME'],
    ['get mcp cm/a', '"mcp" cannot be combined with "cm/a": write each as KIND/NAME'],
    ['get cm a -A', 'names cannot be combined with -A'],
    ['get cm a -l b=c', 'names cannot be combined with a selector'],
    ['get cm,mcp -w', 'only one resource, or one object of it, can be watched'],
    ['get cm a b -w', 'only one resource, or one object of it, can be watched'],
    ['get all a', 'all is a category of several resources and cannot be combined with names'],
    ['get cm -o xml', "argument 'xml' is invalid. Allowed choices are wide, yaml, json, name."],
    ['get cm a%2Fb', '"a%2Fb" is not a valid object name'],
    ['get cm -n=', 'Must not be empty.'],
    ['apply', "required option '-f, --filename <FILE...>' not specified"],
    ['delete', 'nothing to delete: give KIND NAME, or -f FILE'],
    ['delete cm', 'give the names of the configmaps to delete'],
    ['delete cm a -f b', 'give names of objects or files with -f, not both'],
    ['delete -f nothing.yaml', 'nothing deleted: nothing.yaml: no such file or directory'],
    ['wait mcp/worker', "required option '--for <WHAT>' not specified"],
    [
      'wait mcp/worker --for=Updated',
      '--for: Must be condition=TYPE, condition=TYPE=STATUS, create or delete.',
    ],
    ['wait mcp --for=delete', 'no objects selected: give KIND/NAME, --all or -l'],
    [
      'wait mcp/worker --for=delete --timeout=soon',
      '--timeout: "soon" is not a duration: write 30s, 5m or 1h30m',
    ],
    ['wait mcp/worker --for=delete --all', 'names cannot be combined with --all or -l'],
    ['logs', 'give a pod, or a selector with -l'],
    ['logs pod -l a=b', 'give a pod, or a selector with -l'],
    ['logs pod --tail some', 'Must be a number of lines, or -1 for all.'],
    ['logs no/worker-0', 'a Node has no logs: give a pod'],
    ['get cm --data-dir none', 'no cluster in none: start one with `millwright up`, or give a kubeconfig'],
    ['get cm --kubeconfig none', 'cannot be read (ENOENT)'],
  ])('%s', async (line, text) => {
    const stderr = await refused(line, 2);
    expect(stderr).toContain(text);
    expect(stderr.split('\n')).toHaveLength(1);
  });

  it('if the server is unreachable', async () => {
    mkdirSync(join(cwd, 'stopped'));
    cpSync(join(cwd, server.kubeconfig), join(cwd, 'stopped/kubeconfig'));
    const text = await readTextOf('stopped/kubeconfig');
    // The port of the discard service, on which nothing listens.
    writeFileSync(join(cwd, 'stopped/kubeconfig'), text.replace(server.url, 'https://127.0.0.1:9'));
    expect(await refused('get cm --data-dir stopped', 2)).toBe(
      'millwright: the cluster in stopped is not running (https://127.0.0.1:9 is unreachable): start it with `millwright up`',
    );
    expect(await refused('get cm --kubeconfig stopped/kubeconfig', 2)).toMatch(
      /^millwright: the server https:\/\/127\.0\.0\.1:9 is unreachable: connect ECONNREFUSED/,
    );
  });
});

async function readTextOf(path: string): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  return readFile(join(cwd, path), 'utf8');
}

describe('apply', () => {
  it('creates, configures and leaves unchanged', async () => {
    expect(await ok('apply -f -', configMap('applied'))).toBe('configmap/applied created\n');
    expect(await ok('apply -f -', configMap('applied'))).toBe('configmap/applied unchanged\n');
    expect(await ok('apply -f - --dry-run', configMap('applied', 'two'))).toBe(
      'configmap/applied configured (server dry run)\n',
    );
    expect(await ok('apply -f -', configMap('applied', 'two'))).toBe('configmap/applied configured\n');
    expect(await ok('apply -f - --dry-run', configMap('other'))).toBe(
      'configmap/other created (server dry run)\n',
    );
    expect(await refused('get cm other', 1)).toBe('millwright: configmaps "other" not found');
    expect(await ok('apply -f -', pool)).toBe(`${POOL}/worker created\n`);
  });

  it('tries every object and reports the location of each error', async () => {
    const text = [
      configMap('first'),
      configMap('first').replace('\ndata:', '\ndatta: {}\ndata:'),
      'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {pin: 1234}\n',
      'apiVersion: v1\nkind: ConfgMap\nmetadata: {name: a}\n',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: nowhere}\n',
      configMap('last'),
    ].join('---\n');
    writeFileSync(join(cwd, 'mixed.yaml'), text);
    const { exitCode, stdout, stderr } = await run('apply -f mixed.yaml');
    expect({ exitCode, stdout, stderr }).toMatchObject({
      exitCode: 1,
      stdout: 'configmap/first created\nconfigmap/last created\n',
    });
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(
        /^millwright: mixed\.yaml#2:9: configmap\/first: .*\.datta: field not declared in schema$/,
      ),
      expect.stringMatching(
        /^millwright: mixed\.yaml#3:15: secret\/s: .*\.stringData\.pin: expected string$/,
      ),
      'millwright: mixed.yaml#4:18: ConfgMap/a: the server has no ConfgMap in v1 (did you mean ConfigMap?)',
      'millwright: mixed.yaml#5:21: configmap/a: namespaces "nowhere" not found',
      '',
    ]);
    expect(stderr).not.toContain('1234');
  });

  it('does not take over fields of other managers unless forced', async () => {
    const path = '/api/v1/namespaces/default/configmaps/shared?fieldManager=gitops';
    await client.request('PATCH', path, {
      contentType: 'application/apply-patch+yaml',
      body: configMap('shared', 'theirs'),
    });
    expect(await refused('apply -f -', 1, configMap('shared', 'ours'))).toBe(
      'millwright: stdin:4: configmap/shared: conflict with "gitops": .data.k (take over with --force-conflicts, or remove these fields)',
    );
    expect(await ok('apply -f - --force-conflicts', configMap('shared', 'ours'))).toBe(
      'configmap/shared configured\n',
    );
  });

  it('applies nothing if a file cannot be read', async () => {
    writeFileSync(join(cwd, 'good.yaml'), configMap('unborn'));
    writeFileSync(join(cwd, 'broken.yaml'), 'a: [\n');
    expect(await refused('apply -f good.yaml -f none.yaml', 2)).toBe(
      'millwright: none.yaml: no such file or directory\nmillwright: nothing applied',
    );
    expect(await refused('apply -f good.yaml broken.yaml', 1)).toMatch(
      /broken\.yaml: line .*\nmillwright: nothing applied$/,
    );
    expect(await refused('apply -f -', 1, '')).toContain('no objects in the input');
    expect(await refused('get cm unborn', 1)).toContain('not found');
  });

  it('applies CRDs and namespaces of a directory first', async () => {
    mkdirSync(join(cwd, 'folder'));
    writeFileSync(
      join(cwd, 'folder/a.yaml'),
      'apiVersion: toys.example/v1\nkind: Toy\nmetadata: {name: t, namespace: nursery}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: nursery}\n',
    );
    writeFileSync(
      join(cwd, 'folder/b.yaml'),
      `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: toys.toys.example}
spec:
  group: toys.example
  scope: Namespaced
  names: {plural: toys, singular: toy, kind: Toy, shortNames: [ty]}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`,
    );
    writeFileSync(join(cwd, 'folder/values.yaml'), 'replicas: 3\n');
    expect(await ok('apply -f folder')).toBe(
      'namespace/nursery created\ncustomresourcedefinition.apiextensions.k8s.io/toys.toys.example created\ntoy.toys.example/t created\n',
    );
    expect(await ok('get ty -A --no-headers')).toMatch(/^nursery {3}t {5}\d+s\n$/);
    expect(await refused('apply -f folder -n other', 1)).toContain(
      'folder/a.yaml#1:3: toy.toys.example/t: its namespace nursery does not match --namespace other',
    );
    expect(await ok('delete -f folder --no-wait')).toBe(
      'toy.toys.example "t" deleted\nnamespace "nursery" deleted\ncustomresourcedefinition.apiextensions.k8s.io "toys.toys.example" deleted\n',
    );
  });
});

describe('get', () => {
  it('reports missing objects and prints the rest', async () => {
    await run('apply -f -', configMap('there'));
    const { exitCode, stdout, stderr } = await run('get cm there missing');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: 'millwright: configmaps "missing" not found\n',
    });
    expect(stdout).toMatch(/^NAME {4}DATA {3}AGE\nthere {3}1 {6}\d+s\n$/);
    expect(await ok('get cm missing --ignore-not-found')).toBe('');
    expect(await run('get pods')).toMatchObject({
      exitCode: 0,
      stderr: 'No resources found in default namespace.\n',
    });
    expect(await run('get pods -A')).toMatchObject({ exitCode: 0, stderr: 'No resources found\n' });
    expect(await run('get no')).toMatchObject({ exitCode: 0, stderr: 'No resources found\n' });
  });

  it('omits managedFields by default', async () => {
    await run('apply -f -', configMap('owned'));
    expect(await ok('get cm owned -o yaml')).not.toContain('managedFields');
    expect(await ok('get cm owned -o yaml --show-managed-fields')).toContain('manager: millwright');
  });

  it('watches with aligned rows until Ctrl-C', async () => {
    await run('apply -f -', configMap('watched', 'one', '{story: watch}'));
    const { exitCode, stdout, stderr } = await runUntil('get cm -l story=watch -w'.split(' '), cwd, [
      { text: 'watched', act: () => run('apply -f -', configMap('watched-too', 'one', '{story: watch}')) },
      { text: 'watched-too', act: () => run('delete cm watched') },
      { text: '\nwatched  ' },
    ]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(
      /^NAME {6}DATA {3}AGE\nwatched {3}1 {6}\d+s\nwatched-too {3}1 {6}\d+s\nwatched {7}1 {6}\d+s\n$/,
    );
  });

  it('watches one object, also as documents', async () => {
    await run('apply -f -', configMap('single'));
    expect(await refused('get cm absent -w', 1)).toBe('millwright: configmaps "absent" not found');
    const { stdout } = await runUntil('get cm single -w -o yaml'.split(' '), cwd, [
      { text: 'k: one', act: () => run('apply -f -', configMap('single', 'two')) },
      { text: 'k: two' },
    ]);
    expect(stdout).toMatch(
      /^apiVersion: v1\ndata:\n {2}k: one\n[\s\S]*\n---\napiVersion: v1\ndata:\n {2}k: two\n/,
    );
    const names = await runUntil('get cm single -w -o name'.split(' '), cwd, [
      { text: 'configmap/single\n' },
    ]);
    expect(names).toEqual({ exitCode: 0, stdout: 'configmap/single\n', stderr: '' });
  });

  it('uses the namespace of the kubeconfig', async () => {
    const text = await readTextOf(server.kubeconfig);
    writeFileSync(
      join(cwd, 'elsewhere'),
      text.replace('    cluster: millwright\n', '$&    namespace: kube-system\n'),
    );
    const { stderr } = await run('get pods --kubeconfig elsewhere');
    expect(stderr).toBe('No resources found in kube-system namespace.\n');
  });
});

describe('wait', () => {
  it('reports the state when it times out', async () => {
    await run('apply -f -', pool);
    await setCondition('Updated', 'False');
    expect(await refused('wait mcp/worker --for=condition=Updated --timeout=200ms', 1)).toBe(
      'millwright: timed out waiting for the condition on machineconfigpools/worker: Updated is False: Because: as expected',
    );
    expect(await refused('wait mcp worker --for=condition=Degraded --timeout=0', 1)).toBe(
      'millwright: condition not met for machineconfigpools/worker: it has no condition Degraded',
    );
    expect(await refused('wait mcp/none --for=condition=Updated', 1)).toBe(
      'millwright: machineconfigpools.machineconfiguration.openshift.io "none" not found',
    );
    expect(await refused('wait mcp -l a=none --for=condition=Updated', 1)).toContain('no object matches');
  });

  it('returns as soon as the condition is met or the object is gone', async () => {
    await setCondition('Updated', 'False');
    const waiting = ok('wait mcp --all --for=condition=updated --timeout=30s');
    const soon = ok('wait cm/awaited --for=create --timeout=30s');
    await setCondition('Updated', 'True');
    await run('apply -f -', configMap('awaited'));
    expect([await waiting, await soon]).toEqual([
      `${POOL}/worker condition met\n`,
      'configmap/awaited condition met\n',
    ]);
    const ending = ok('wait cm/awaited --for=delete --timeout=30s');
    await run('delete cm awaited');
    expect(await ending).toBe('configmap/awaited condition met\n');
    expect(await ok('wait cm/awaited --for=delete --timeout=1s')).toMatch(
      /^(configmap\/awaited condition met\n)?$/,
    );
  });
});

describe('delete', () => {
  it('supports dry runs, deletes, and reports missing objects', async () => {
    await run('apply -f -', `${configMap('x')}---\n${configMap('z')}`);
    expect(await ok('delete cm x z --dry-run')).toBe(
      'configmap "x" deleted (server dry run)\nconfigmap "z" deleted (server dry run)\n',
    );
    expect(await ok('delete cm/x')).toBe('configmap "x" deleted\n');
    expect(await refused('delete cm x', 1)).toBe('millwright: configmaps "x" not found');
    const given = `${configMap('x')}---\n${configMap('z')}`;
    expect(await refused('delete -f -', 1, given)).toBe('millwright: stdin#1:1: configmaps "x" not found');
    expect(await ok('delete -f - --ignore-not-found', given)).toBe('');
  });

  it('waits for finalizers and names them on timeout', async () => {
    const kept = configMap('kept').replace('labels:', 'finalizers: [story.example/keep], labels:');
    await run('apply -f -', kept);
    expect(await refused('delete cm kept --timeout=200ms', 1)).toBe(
      'millwright: timed out waiting for the deletion of configmaps/kept: it is being deleted and has finalizers story.example/keep',
    );
    expect(await ok('delete cm kept --no-wait')).toBe('configmap "kept" deleted\n');
    const path = '/api/v1/namespaces/default/configmaps/kept';
    const letGo = { contentType: 'application/merge-patch+json', body: { metadata: { finalizers: null } } };
    const waited = await runUntil(['delete', 'cm', 'kept'], cwd, [
      { text: 'deleted', act: () => client.request('PATCH', path, letGo) },
    ]);
    expect(waited).toEqual({ exitCode: 0, stdout: 'configmap "kept" deleted\n', stderr: '' });
    expect(await refused('get cm kept', 1)).toContain('not found');
  });
});

describe('--help matches the golden file', () => {
  it.each(['get', 'apply', 'delete', 'wait', 'logs'])('%s', async (command) => {
    const args = ['help', command];
    const golden = join(packageRoot, `test/golden/cli/help-${command}.txt`);
    await expect(transcript(args, await runCli(args))).toMatchFileSnapshot(golden);
  });
});
