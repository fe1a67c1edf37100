/** Compares the output of the kubectl-like commands with that of kubectl. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, type HttpClient } from '../contract/http-client.ts';
import { type FakeKubelet, startKubelet } from '../kubectl/fake-kubelet.ts';
import { findKubectls } from '../kubectl/find-kubectls.ts';
import { type KubectlSession, openSession } from '../kubectl/kubectl-session.ts';
import * as objects from '../kubectl/objects.ts';
import { readKubeconfig } from '../kubernetes/kubeconfig.ts';
import { runCli } from './run-cli.ts';
import { runUntil } from './run-until.ts';
import { type RunningApiserver, startApiserver } from './start-apiserver.ts';

const kubectls = await findKubectls();
const isRequired = process.env.MILLWRIGHT_REQUIRE_TOOLS === '1';
/** Output is compared with the newest version found. */
const [newest] = kubectls.slice(-1);

const SPACE = 'story';
const input = [
  objects.configMap('listed', 'one'),
  objects.configMap('another-name', 'two'),
  `apiVersion: v1
kind: ConfigMap
metadata: {name: odd, annotations: {story.example/b: "", story.example/a10: x, story.example/a9: z}}
data: {file-9: "1", file-10: "0x1f", k1x: "on", k12: "null", _u: "~", A: "2026-01-01", multi: "one\\n two\\n", tab: "a\\tb"}
`,
  objects.deployment,
  objects.replicaSet,
  objects.budget,
  objects.definition('story.example'),
  'apiVersion: v1\nkind: Secret\nmetadata: {name: hidden}\nstringData: {password: hunter2}\n',
  `apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfig
metadata: {name: 99-worker-story, labels: {machineconfiguration.openshift.io/role: worker}}
spec: {config: {ignition: {version: 3.4.0}}, kernelArguments: [a=b]}
`,
  `apiVersion: machineconfiguration.openshift.io/v1
kind: MachineConfigPool
metadata: {name: worker}
spec:
  machineConfigSelector: {matchLabels: {machineconfiguration.openshift.io/role: worker}}
  nodeSelector: {matchLabels: {node-role.kubernetes.io/worker: ""}}
`,
].join('---\n');

describe.skipIf(newest === undefined && !isRequired)('the kubectl-like commands', () => {
  let cwd = '';
  let server: RunningApiserver;
  let client: HttpClient;
  let kubelet: FakeKubelet;
  let kubectl: KubectlSession;
  beforeAll(async () => {
    if (newest === undefined) throw new Error('no kubectl of 1.27 to 1.33 was found');
    cwd = mkdtempSync(join(tmpdir(), 'millwright-as-kubectl-'));
    server = await startApiserver(['--port', '0'], cwd);
    const { url, caPem, admin } = await readKubeconfig(join(cwd, server.kubeconfig));
    client = connect({ url, ca: caPem, admin });
    kubelet = await startKubelet(tls());
    kubectl = await openSession(newest.program, join(cwd, server.kubeconfig), SPACE);
    await kubectl.ok(['create', 'namespace', SPACE]);
    await kubectl.ok(['create', 'serviceaccount', 'default']);
    await kubectl.ok(['apply', '--server-side', '-f', '-'], input);
    await kubectl.ok(['apply', '--server-side', '-f', '-'], objects.box('story.example', 1));
    await kubectl.ok(['create', '-f', '-'], objects.node('node-0', kubelet.port));
    for (const name of ['pod-a', 'pod-b'])
      await kubectl.ok(['create', '-f', '-'], objects.pod(name, 'node-0'));
    await report('/apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker', {
      configuration: { name: 'rendered-worker-1' },
      machineCount: 3,
      readyMachineCount: 2,
      updatedMachineCount: 2,
      degradedMachineCount: 0,
      unavailableMachineCount: 1,
      conditions: [{ type: 'Updated', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    });
  });
  afterAll(async () => {
    await kubectl.end();
    await kubelet.stop();
    client.close();
    await server.stop();
    rmSync(cwd, { recursive: true });
  });

  /** The certificate of kubelets is not verified. */
  function tls(): { readonly cert: string; readonly key: string } {
    const read = (name: string) => readFileSync(join(cwd, '.millwright/pki', name), 'utf8');
    return { cert: read('server.crt'), key: read('server.key') };
  }

  async function report(path: string, status: object): Promise<void> {
    const contentType = 'application/merge-patch+json';
    const answer = await client.request('PATCH', `${path}/status`, { contentType, body: { status } });
    expect(answer.status).toBe(200);
  }

  const ours = (args: readonly string[], stdin = '') => runCli([...args, '-n', SPACE], { cwd, stdin });
  /** Ages may differ by the time between both runs. */
  const ageless = (text: string) => text.replaceAll(/\b\d+s( *)$/gm, 'AGE').replaceAll(/\b\d+s +/g, 'AGE ');

  it.each([
    'get cm',
    'get cm --show-labels',
    'get cm --no-headers',
    'get configmaps,deploy',
    'get mcp',
    'get mcp worker -o wide',
    'get machineconfig',
    'get mc 99-worker-story -o yaml',
    'get MachineConfigPool.machineconfiguration.openshift.io -o name',
    'get mcp/worker cm/listed cm/odd secret/hidden',
    'get mcp,mc,no',
    'get no -o wide',
    'get no node-0 -o yaml',
    'get po -o wide',
    'get po --field-selector spec.nodeName=node-0 -o name',
    'get po --field-selector spec.nodeName=none',
    'get cm -l app=story',
    'get cm -l app=story -o yaml',
    'get cm odd -o yaml',
    'get cm listed another-name -o yaml',
    'get cm,po -o name',
    'get cm none -o yaml --ignore-not-found',
    'get jobs',
    'get jobs -o yaml',
    'get jobs -o json',
    'get jobs -o name',
    'get all',
    'get bx',
    'get bx -o wide',
    'get boxes.v1.story.example one -o yaml --show-managed-fields',
    'get crd boxes.story.example',
    'get pdb,rs,sa,secrets',
    'get events',
    'get clusterroles --no-headers',
    'get clusterrole view -o yaml',
    'get mcp worker -o json',
    'get nodes,secrets -o json',
  ])('%s', async (line) => {
    const args = line.split(' ');
    const [theirs, own] = [await kubectl.run(args), await ours(args)];
    expect(own.exitCode).toBe(theirs.code);
    expect(ageless(own.stdout)).toBe(ageless(theirs.stdout));
    expect(own.stderr).toBe(theirs.stderr);
  });

  it.each(['get cm -A', 'get mcp,cm -A', 'get mcp -A', 'get sa,po -A -o wide', 'get jobs -A'])(
    '%s',
    async (line) => {
      const args = line.split(' ');
      const [theirs, own] = [await kubectl.run(args), await runCli(args, { cwd })];
      expect(ageless(own.stdout)).toBe(ageless(theirs.stdout));
      expect(own.stderr).toBe(theirs.stderr);
    },
  );

  it.each([
    ['get cm listed none', 'Error from server (NotFound): '],
    ['get cm/none mcp/none', 'Error from server (NotFound): '],
    ['get tokenreviews', 'Error from server (MethodNotAllowed): '],
    ['delete cm none', 'Error from server (NotFound): '],
    ['wait cm/none --for=condition=Ready', 'Error from server (NotFound): '],
  ])('print the same error for `%s`, prefixed with millwright', async (line, prefix) => {
    const args = line.split(' ');
    const [theirs, own] = [await kubectl.run(args), await ours(args)];
    expect([own.exitCode, theirs.code]).toEqual([1, 1]);
    expect(ageless(own.stdout)).toBe(ageless(theirs.stdout));
    expect(own.stderr).toBe(theirs.stderr.replaceAll(prefix, 'millwright: '));
  });

  it.each([
    'wait mcp/worker --for=condition=Updated --timeout=1s',
    'wait mcp --all --for=condition=updated=TRUE --timeout=1s',
    'wait mcp worker --for condition=Updated --timeout=1s',
    'wait cm/listed --for=create',
    'wait cm -l app=none --for=delete',
    'delete cm none --ignore-not-found',
  ])('%s', async (line) => {
    const args = line.split(' ');
    const [theirs, own] = [await kubectl.run(args), await ours(args)];
    expect(own).toEqual({ exitCode: theirs.code, stdout: theirs.stdout, stderr: theirs.stderr });
  });

  it('print a namespace column for namespaced kinds only, unlike kubectl after the first kind', async () => {
    const { stdout } = await runCli(['get', 'cm,mcp', '-A'], { cwd });
    expect(stdout).toMatch(/^NAMESPACE +NAME +DATA +AGE\n(story +configmap\/.*\n)+\nNAME +CONFIG +UPDATED/);
  });

  it('find objects applied by kubectl unchanged, and print the same when deleting', async () => {
    const text = objects.configMap('handed-on', 'one');
    expect((await ours(['apply', '-f', '-'], text)).stdout).toBe('configmap/handed-on created\n');
    expect(await kubectl.ok(['diff', '--server-side', '--field-manager=millwright', '-f', '-'], text)).toBe(
      '',
    );
    const dryRun = await kubectl.ok(['delete', 'cm', 'handed-on', '--dry-run=server']);
    expect((await ours(['delete', 'cm', 'handed-on', '--dry-run'])).stdout).toBe(dryRun);
    expect((await ours(['delete', 'cm', 'handed-on'])).stdout).toBe('configmap "handed-on" deleted\n');
  });

  it('print the same watch', async () => {
    const touch = async (name: string) => {
      await kubectl.ok(
        ['apply', '--server-side', '-f', '-'],
        objects.configMap(name, 'one').replace('story', 'seen'),
      );
    };
    const args = ['get', 'cm', '-l', 'app=seen', '-w'];
    await touch('short');
    const theirs = await kubectl.until(args, 'much-longer-name', () => touch('a-much-longer-name'));
    await kubectl.ok(['delete', 'cm', 'a-much-longer-name']);
    const own = await runUntil([...args, '-n', SPACE], cwd, [
      { text: 'short', act: () => touch('a-much-longer-name') },
      { text: 'much-longer-name' },
    ]);
    expect(ageless(own.stdout)).toBe(ageless(theirs));
  });

  describe('logs', () => {
    it.each([
      'logs pod-a',
      'logs pod-a -f',
      'logs pod/pod-a --tail 5 --timestamps',
      'logs pod-a -c main --since 90s --previous',
      'logs -l app=guarded',
      'logs -l app=guarded --prefix --tail=-1',
      'logs -l app=none',
      'logs rs/guarded',
    ])('%s', async (line) => {
      const args = line.split(' ');
      const asked = async <T>(run: Promise<T>) => ({ answer: await run, asked: kubelet.asked.splice(0) });
      const theirs = await asked(kubectl.run(args));
      const own = await asked(ours(args));
      // Several pods come in any order.
      expect(own.asked.map(sorted).sort()).toEqual(theirs.asked.map(sorted).sort());
      const { code: exitCode, stdout, stderr } = theirs.answer;
      expect({ ...own.answer, stdout: linesOf(own.answer.stdout) }).toEqual({
        exitCode,
        stdout: linesOf(stdout),
        stderr,
      });
    });

    const linesOf = (text: string) => text.split('\n').sort();
    const sorted = (url: string) => {
      const { pathname, searchParams } = new URL(url, 'https://kubelet');
      return [pathname, ...[...searchParams].map((pair) => pair.join('=')).sort()].join(' ');
    };

    it('are followed until Ctrl-C', async () => {
      const { cert, key } = tls();
      const talker = createServer({ cert, key }, (_request, response) => void response.write('first line\n'));
      talker.listen(0, '127.0.0.1');
      await once(talker, 'listening');
      const address = talker.address();
      const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
      await kubectl.ok(['create', '-f', '-'], objects.node('node-1', port));
      await kubectl.ok(
        ['create', '-f', '-'],
        objects.pod('talking', 'node-1').replace('guarded}', 'talking}'),
      );
      const run = await runUntil(['logs', 'talking', '-f', '-n', SPACE], cwd, [{ text: 'first line\n' }]);
      expect(run).toEqual({ exitCode: 0, stdout: 'first line\n', stderr: '' });
      talker.closeAllConnections();
      talker.close();
    });

    it('report missing pods and containers', async () => {
      expect(await ours(['logs', 'none'])).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: 'millwright: pods "none" not found\n',
      });
      const { exitCode, stderr } = await ours(['logs', 'pod-a', '-c', 'none']);
      expect({ exitCode, stderr }).toEqual({
        exitCode: 1,
        stderr: expect.stringContaining('container none is not valid'),
      });
      expect((await ours(['logs', 'cm/listed'])).stderr).toBe(
        'millwright: a ConfigMap has no pods: give a pod\n',
      );
    });
  });

  it('use another cluster with --kubeconfig', async () => {
    const text = readFileSync(join(cwd, server.kubeconfig), 'utf8');
    writeFileSync(
      join(cwd, 'other'),
      text.replace('    cluster: millwright\n', `$&    namespace: ${SPACE}\n`),
    );
    const { stdout } = await runCli(['get', 'cm', 'listed', '--kubeconfig', 'other', '--data-dir', 'none'], {
      cwd,
    });
    expect(ageless(stdout)).toBe(ageless(await kubectl.ok(['get', 'cm', 'listed'])));
  });
});
