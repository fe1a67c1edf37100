/**
 * A machine that is no node gets its config from the machine config server and becomes one. Ignition, the kubelet, its requests for
 * certificates, their approver and their signer are real. What is not is the initramfs: Ignition runs on the disk of the machine
 * before its first boot, with its network.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  annotations,
  machineConfig as machineConfigKind,
  machineConfigNode as machineConfigNodeKind,
} from '../../src/api/index.ts';
import {
  node as nodeKind,
  certificateSigningRequest as requestKind,
} from '../../src/kubernetes/types/index.ts';
import { aConfig } from '../lab/lab-actions.ts';
import { runTool } from '../lab/run-tool.ts';
import { type Oracle, startOracle } from '../oracle/oracle.ts';
import { askToValidate } from '../oracle/questions.ts';
import { isPoolUpdated } from '../rollout/build-world.ts';
import { watchDrains } from './audit.ts';
import { requestAs } from './certificate-requests.ts';
import type { Cluster } from './cluster.ts';
import { findIgnition } from './ignition.ts';
import { eventually, installMillwright, NAMESPACE, packageRoot, poolOf, untilUpdated } from './millwright.ts';
import { findPrograms } from './needs.ts';
import { serverUrl, serverValues } from './server-values.ts';
import { story } from './story.ts';

const programs = await findPrograms();
const ignition = 'unavailable' in programs ? programs : await findIgnition();
const LIMIT_MS = 180_000;
const NAME = 'ostree-2';
const FILE = '/etc/joined';
const CONTENT = 'as served\n';
const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
const JOINING_USER = `system:serviceaccount:${NAMESPACE}:node-bootstrapper`;
/** That somebody asks for with the same token. */
const EXISTING = 'debian-0';

describe.skipIf(typeof ignition !== 'string')('a machine that joins', () => {
  let cluster: Cluster;
  let oracle: Oracle | undefined;
  let machine: Awaited<ReturnType<Cluster['addMachine']>>;
  let drains = async (): Promise<readonly string[]> => [];
  let pointer = '';
  let config = '';
  story.beforeAll(async ({ cluster: shared }) => {
    cluster = shared;
    oracle = await ignitionOracle();
    await installMillwright(cluster, { values: { builder: { enabled: false }, ...serverValues(cluster) } });
    await requestAs(cluster, { secret: 'node-bootstrapper-token', name: 'stolen', node: EXISTING });
    const after = await untilUpdated(cluster);
    await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(UNDISTURBED));
    await cluster.kube.apply(machineConfigKind, aConfig('50-joined', { files: { [FILE]: CONTENT } }));
    config = await untilUpdated(cluster, { after });
    drains = await watchDrains(cluster);
    machine = await cluster.addMachine();
  });
  afterAll(async () => {
    await oracle?.close();
    await machine?.remove();
    if (cluster === undefined) return;
    await cluster.kubectl(['delete', 'node', NAME, '--ignore-not-found']);
    // Kubernetes does it too, after a while in which the next story would find them.
    const pods = ['pods', '--all-namespaces', `--field-selector=spec.nodeName=${NAME}`];
    await cluster.kubectl(['delete', ...pods, '--force', '--grace-period=0']);
    await untilUpdated(cluster);
  });

  const request = async (headers: Readonly<Record<string, string>> = {}, pool = 'worker') =>
    await cluster.fetch(`${serverUrl(cluster)}/config/${pool}`, headers);
  /** With the token of the pointer. */
  const authorization = () => ({ Authorization: /"(Bearer [^"]+)"/.exec(pointer)?.[1] ?? '' });

  it('has a pointer config with a token, without which it is served nothing', async () => {
    const program = join(packageRoot, 'bin/millwright');
    const flags = ['--pool', 'worker', '--kubeconfig', cluster.kubeconfigPath];
    pointer = await runTool([program, 'server', 'pointer', ...flags]);
    expect(pointer).toContain(`"${serverUrl(cluster)}/config/worker"`);
    const secret = ['get', 'secret', '-n', NAMESPACE, 'worker-user-data-managed'];
    const userData = await cluster.kubectl([...secret, '-o', 'jsonpath={.data.userData}']);
    expect(JSON.parse(atob(userData))).toEqual(JSON.parse(pointer));
    expect(await request()).toMatchObject({ status: 401 });
    expect(await request({ Authorization: 'Bearer guessed' })).toMatchObject({ status: 401 });
    expect(await request(authorization(), 'nosuch')).toMatchObject({ status: 404 });
  });

  it.each(['2.2.0', '3.2.0', '3.4.0', '3.5.0'])(
    'is served the config of its pool in version %s, which the real Ignition accepts',
    async (version) => {
      const accept = `application/vnd.coreos.ignition+json;version=${version}, */*;q=0.1`;
      const { status, text } = await request({ ...authorization(), Accept: accept });
      expect(status).toBe(200);
      const served: unknown = JSON.parse(text);
      expect(served).toMatchObject({ ignition: { version } });
      if (oracle === undefined) throw new Error('there is no oracle');
      const { ok, error, report } = await askToValidate(oracle, served);
      expect([ok, error, report.filter(({ kind }) => kind === 'error')]).toEqual([true, undefined, []]);
    },
  );

  it('fetches that config by Ignition, which writes it with the credentials for its kubelet', async () => {
    if (typeof ignition !== 'string') throw new Error(ignition.unavailable);
    expect(await machine.ignite(ignition, pointer)).toContain('Ignition finished successfully');
    const files = await machine.files();
    expect(files.get(FILE)).toBe(`f 644 0:0  ${createHash('sha256').update(CONTENT).digest('hex')}`);
    for (const path of ['/etc/kubernetes/kubeconfig', '/etc/mcs-machine-config-content.json'])
      expect([path, files.get(path)]).toEqual([path, expect.stringMatching(/^f 600 0:0 /)]);
  });

  it('becomes a node of its pool, which is updated all the while', async () => {
    const before = await updatedSince(cluster);
    await machine.start();
    await eventually(cluster, 'the node reports that it is updated', LIMIT_MS, async () => {
      const own = await cluster.kube.get(machineConfigNodeKind, { name: NAME });
      return own?.status?.conditions?.find(({ type }) => type === 'Updated')?.status === 'True';
    });
    await eventually(cluster, 'the pool counts the node', LIMIT_MS, async () => {
      const pool = await poolOf(cluster);
      const isWhole = pool?.status?.updatedMachineCount === cluster.machines.length + 1;
      return pool !== undefined && isWhole && isPoolUpdated(pool);
    });
    expect([before, await updatedSince(cluster)]).toEqual([expect.any(String), before]);
    const node = await cluster.kube.get(nodeKind, { name: NAME });
    expect(node?.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
    const { currentConfig, desiredConfig, state } = annotations;
    const expected = { [currentConfig]: config, [desiredConfig]: config, [state]: 'Done' };
    expect(node?.metadata.annotations).toMatchObject(expected);
    expect(await machine.output('cat', FILE)).toBe(CONTENT.trim());
    // It was right from its first boot on.
    expect(machine.machine.boots).toBe(1);
    expect(await drains()).toEqual([]);
  });

  it('has got its certificate by one request, which the controllers approved and the cluster signed', async () => {
    const { items } = await cluster.kube.list(requestKind);
    const asked = items.filter(({ spec }) => spec.signerName === CLIENT_SIGNER);
    const own = asked.filter(({ metadata }) => metadata.name !== 'stolen');
    expect(own.map(({ spec }) => spec.username)).toEqual([JOINING_USER]);
    const [{ status } = {}] = own;
    expect(status?.conditions).toMatchObject([{ type: 'Approved', reason: 'FirstKubeletClientCertificate' }]);
    expect(await subjectOf(status?.certificate ?? '')).toBe(`O = system:nodes, CN = system:node:${NAME}`);
  });

  it('is the only one that gets a certificate by its token: nobody becomes a node that exists', async () => {
    await eventually(cluster, 'an event says why', LIMIT_MS, async () => {
      return (await cluster.kubectl(['describe', 'csr', 'stolen'])).includes('ClientCertificateNotApproved');
    });
    expect(await cluster.kubectl(['describe', 'csr', 'stolen'])).toMatch(
      /Warning +ClientCertificateNotApproved .*Node "debian-0" exists already/,
    );
    const stolen = await cluster.kube.get(requestKind, { name: 'stolen' });
    expect(stolen?.spec.username).toBe(JOINING_USER);
    expect(stolen?.status ?? {}).toEqual({});
  });
});

async function ignitionOracle(): Promise<Oracle> {
  const oracle = await startOracle('ignition');
  if ('unavailable' in oracle) throw new Error(oracle.unavailable);
  return oracle;
}

/** Since when the pool is updated without interruption. */
async function updatedSince(cluster: Cluster): Promise<string | undefined> {
  const conditions = (await poolOf(cluster))?.status?.conditions ?? [];
  const found = conditions.find(({ type, status }) => type === 'Updated' && status === 'True');
  return found?.lastTransitionTime ?? undefined;
}

async function subjectOf(certificate: string): Promise<string> {
  const said = await runTool(['openssl', 'x509', '-noout', '-subject'], { input: atob(certificate) });
  return said.replace(/^subject=/, '').trim();
}

/** The file reaches the nodes without a drain and a reboot: what is served is what they have. */
const UNDISTURBED = {
  apiVersion: 'operator.openshift.io/v1',
  kind: 'MachineConfiguration',
  metadata: { name: 'cluster' },
  spec: {
    managementState: 'Managed',
    nodeDisruptionPolicy: { files: [{ path: FILE, actions: [{ type: 'None' }] }] },
  },
};
