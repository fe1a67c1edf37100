/** `millwright operator`, `controller` and `builder` against an API server over its socket. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect, type HttpClient } from '../contract/http-client.ts';
import { freePort } from '../kubernetes/free-port.ts';
import { readKubeconfig } from '../kubernetes/kubeconfig.ts';
import { aJoiningRequest } from '../support/a-certificate-request.ts';
import { signingRequestDefinition } from '../support/signing-requests.ts';
import { type CliRun, packageRoot, runCli, transcript } from './run-cli.ts';
import { type RunningApiserver, startApiserver } from './start-apiserver.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'millwright-components-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

describe.each(['operator', 'controller', 'builder', 'server'])('millwright %s', (name) => {
  it('requires a kubeconfig outside of a cluster', async () => {
    expect(await runCli([name])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        'millwright: this is no pod of a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set: give a kubeconfig with --kubeconfig\n',
    });
  });

  it.each([
    ['none', 'millwright: kubeconfig .*none cannot be read \\(ENOENT\\)'],
    ['bad', 'millwright: kubeconfig .*bad: '],
  ])('reports a problem of the kubeconfig %s in one line', async (file, line) => {
    writeFileSync(join(cwd, 'bad'), 'current-context: nowhere\n');
    const run = await runCli([name, '--kubeconfig', file], { cwd });
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toMatch(new RegExp(`^${line}.*\n$`));
  });

  it('--help matches the golden file', async () => {
    const args = ['help', name];
    const golden = join(packageRoot, `test/golden/cli/help-${name}.txt`);
    await expect(transcript(args, await runCli(args))).toMatchFileSnapshot(golden);
  });
});

describe('millwright builder', () => {
  it.each([
    ['0s', 'Must be a duration'],
    ['soon', 'Must be a duration'],
    ['1000h', 'Must be a duration'],
  ])('refuses a build timeout of %s', async (text, line) => {
    const run = await runCli(['builder', '--build-timeout', text]);
    expect([run.exitCode, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toContain(line);
  });
});

describe('components with an API server', () => {
  let server: RunningApiserver;
  let client: HttpClient;
  const stops: (() => void)[] = [];
  const runs: Promise<CliRun>[] = [];
  beforeEach(async () => {
    server = await startApiserver(['--port', '0'], cwd);
    const { url, caPem, admin } = await readKubeconfig(join(cwd, server.kubeconfig));
    client = connect({ url, ca: caPem, admin });
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) stop();
    await Promise.all(runs.splice(0));
    client.close();
    await server.stop();
  });

  const start = (name: string, args: readonly string[] = [], environment = {}) => {
    const onStop = (call: () => void) => stops.push(call);
    const run = runCli([name, '--kubeconfig', server.kubeconfig, ...args], { cwd, onStop, environment });
    runs.push(run);
  };
  const ended = (name: string, environment = {}) => {
    start(name, [], environment);
    return runs.at(-1);
  };
  const LEASES = '/apis/coordination.k8s.io/v1/namespaces/openshift-machine-config-operator/leases';
  const POOLS = '/apis/machineconfiguration.openshift.io/v1/machineconfigpools';
  /** Polls the path until the predicate holds; the timeout of the test ends the wait. */
  const until = async (path: string, holds: (json: unknown) => boolean): Promise<unknown> => {
    for (;;) {
      const { json } = await client.request('GET', path);
      if (holds(json)) return json;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  it('builder requires its own pod, or the image of build pods', async () => {
    expect(await ended('builder')).toMatchObject({
      exitCode: 2,
      stderr:
        'millwright: the image of build pods is not known: POD_NAME is not set: give it with --builder-image\n',
    });
    expect(await ended('builder', { POD_NAME: 'b' })).toMatchObject({
      exitCode: 2,
      stderr:
        'millwright: the image of build pods is not known: no container machine-os-builder in pod openshift-machine-config-operator/b: give it with --builder-image\n',
    });
  });

  it('builder holds its Lease, with the image of its own pod', async () => {
    const namespace = {
      ...{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'openshift-machine-config-operator' } },
    };
    await client.request('POST', '/api/v1/namespaces', { body: namespace });
    const pods = '/api/v1/namespaces/openshift-machine-config-operator/pods';
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
    await client.request('POST', pods.replace(/pods$/, 'serviceaccounts'), { body: account });
    const spec = { containers: [{ name: 'machine-os-builder', image: 'registry.example/builder:1' }] };
    const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'b' }, spec };
    const made = await client.request('POST', pods, { body });
    expect(made.status).toBe(201);
    start('builder', [], { POD_NAME: 'b' });
    await until(LEASES, (json) =>
      /"name":"machine-os-builder".*"holderIdentity":"[^"]/.test(JSON.stringify(json)),
    );
    for (const stop of stops) stop();
    expect(await runs[0]).toMatchObject({ exitCode: 0, stdout: '' });
  });

  it('create and render the pools, and release their leases when stopped', async () => {
    start('operator');
    start('controller');
    await until(POOLS, (json) => JSON.stringify(json).split('"rendered-').length > 2);
    const { json } = await client.request('GET', LEASES);
    type Held = {
      readonly metadata: { readonly name: string };
      readonly spec: { readonly holderIdentity?: string };
    };
    const holders = (json.items as unknown as readonly Held[]).map(({ metadata, spec }) => [
      metadata.name,
      spec.holderIdentity !== '',
    ]);
    expect(holders).toEqual([
      ['machine-config', true],
      ['machine-config-controller', true],
    ]);
    for (const stop of stops) stop();
    for (const run of await Promise.all(runs)) {
      expect([run.exitCode, run.stdout]).toEqual([0, '']);
      expect(run.stderr).toMatch(/^I\d{4} [\d:.]+ {7}1 (operator|controller)\.go:1\] Version: /);
      expect(run.stderr).not.toContain(readFileSync(join(cwd, server.kubeconfig), 'utf8').slice(-200));
    }
    const after = await client.request('GET', LEASES);
    expect(JSON.stringify(after.json.items)).not.toMatch(/"holderIdentity":"[^"]/);
  });

  it('work in the namespace of the flag, or of their pod', async () => {
    for (const name of ['machines', 'others']) {
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
      await client.request('POST', '/api/v1/namespaces', { body });
    }
    start('operator', ['--namespace', 'machines'], { POD_NAMESPACE: 'others' });
    start('controller', [], { POD_NAMESPACE: 'machines' });
    const place = LEASES.replace('openshift-machine-config-operator', 'machines');
    const names = ['machine-config', 'machine-config-controller'];
    await until(place, (json) => names.every((name) => JSON.stringify(json).includes(`"name":"${name}"`)));
    const { json } = await client.request('GET', LEASES);
    expect(json.items).toEqual([]);
  });

  it('approve client certificates of kubelets that join their namespace where the flag says so, and report others', async () => {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'machines' } };
    await client.request('POST', '/api/v1/namespaces', { body });
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    await client.request('POST', definitions, { body: signingRequestDefinition });
    const groups = ['system:authenticated', 'system:serviceaccounts', 'system:serviceaccounts:machines'];
    const account = { username: 'system:serviceaccount:machines:node-bootstrapper', groups };
    const csr = aJoiningRequest({ organizations: ['system:masters'] }, account);
    const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
    for (let status = 0; status !== 201; )
      ({ status } = await client.request('POST', requests, { body: csr }));
    start('controller', ['--namespace', 'machines', '--approve-client-certificates', 'true']);
    const events = await until('/api/v1/namespaces/default/events', (json) =>
      JSON.stringify(json).includes('ClientCertificateNotApproved'),
    );
    expect(JSON.stringify(events)).toContain('its organization is');
  });

  it('refuse a namespace that cannot exist', async () => {
    start('operator', ['--namespace', 'No_Name']);
    expect(await runs[0]).toMatchObject({ exitCode: 2, stdout: '' });
    expect((await runs[0])?.stderr).toContain('Must be the name of a namespace.');
  });

  it('are ready while they wait for the Lease of another replica', async () => {
    const ports = [await freePort(), await freePort()];
    for (const port of ports) start('operator', ['--health-address', `127.0.0.1:${port}`]);
    for (const port of ports) {
      for (;;) {
        const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
        if (answer?.status === 200) break;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
      expect(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).toBe(
        'not found: try /healthz or /readyz\n',
      );
    }
  });

  it('report a health address that is in use', async () => {
    start('operator', ['--health-address', new URL(server.url).host]);
    expect(await runs[0]).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('millwright: --health-address: cannot listen on '),
    });
  });
});
