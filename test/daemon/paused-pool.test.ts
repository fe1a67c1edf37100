/**
 * Certificates and credentials in a paused pool, with the operator, the controllers and three real daemons: they reach all nodes, and no
 * node is cordoned, drained, updated or rebooted. Judged by every state of the Nodes that was ever stored.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  annotations,
  controllerConfig,
  image,
  machineConfig as machineConfigKind,
} from '../../src/api/index.ts';
import { formatYaml } from '../../src/base/yaml/index.ts';
import { configMap, type Node, secret } from '../../src/kubernetes/types/index.ts';
import { readNodeConfig } from '../../src/node/plan/index.ts';
import { aMachineConfig, type World } from '../rollout/build-world.ts';
import { patchPool, target } from '../rollout/story-steps.ts';
import { startWorld } from '../rollout/world.ts';
import { CERTIFICATE, CERTIFICATE_SUBJECT } from '../support/a-certificate.ts';
import { anImage } from '../support/build-registries.ts';
import { createDaemonNode, type DaemonNode, OLD_OS, osImages, provision } from './daemon-node.ts';

const MINUTE = 60_000;
let world: World;
const nodes: DaemonNode[] = [];

beforeAll(async () => {
  world = await startWorld({ masters: 0, workers: 3 });
  await world.startControllers();
  const hasTarget = async () =>
    (await world.pools()).some(
      ({ metadata, spec }) => metadata.name === 'worker' && (spec.configuration?.name ?? '') !== '',
    );
  await world.until('the pool has a config', hasTarget, 2 * MINUTE);
  const name = await target(world, 'worker');
  const outcome = readNodeConfig(await world.kube.get(machineConfigKind, { name }));
  if (outcome.kind !== 'ok') throw new Error(JSON.stringify(outcome.problems));
  for (const worker of ['worker-0', 'worker-1', 'worker-2']) {
    const { env, server } = world;
    const node = await createDaemonNode({
      env,
      handle: server.handle,
      name: worker,
      images: osImages(),
      image: OLD_OS,
    });
    await provision(node, outcome.value, {
      [annotations.currentConfig]: name,
      [annotations.desiredConfig]: name,
      [annotations.state]: 'Done',
    });
    nodes.push(node);
    node.startDaemon();
  }
  await world.untilUpdated(['worker'], 5 * MINUTE);
});

afterAll(async () => {
  for (const node of nodes) node.stopDaemon();
  await world.stop();
});

/** Records what must not happen, from now on. */
function recordDisturbances(): readonly string[] {
  const found: string[] = [];
  world.store.subscribe({ prefix: '/nodes/', from: world.store.revision() }, (event) => {
    if (event.kind === 'delete') return;
    // We stored it ourselves: a Node.
    const node: Node = JSON.parse(new TextDecoder().decode(event.value));
    const { name, annotations: given = {} } = node.metadata;
    if (node.spec?.unschedulable === true) found.push(`${name} is cordoned`);
    if (given[annotations.desiredDrain]?.startsWith('drain-')) found.push(`${name} asks for a drain`);
    if (given[annotations.state] !== 'Done') found.push(`${name} is ${given[annotations.state]}`);
    if (given[annotations.desiredConfig] !== given[annotations.currentConfig]) found.push(`${name} is sent`);
  });
  return found;
}

const bootIds = () => Promise.all(nodes.map(({ machine }) => machine.host.bootId()));
const filesOf = (path: string) => Promise.all(nodes.map((node) => node.text(path)));
const kubeletStarts = async () => {
  const services = await Promise.all(nodes.map(({ machine }) => machine.services()));
  return services.map((all) => all.find(({ name }) => name === 'kubelet.service')?.starts ?? 0);
};

const KUBECONFIGS = ['/etc/kubernetes/kubeconfig', '/var/lib/kubelet/kubeconfig'];
/** Of the CA that the API server had before. */
const FORMER_CERTIFICATE = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const kubeconfig = (authorities: string) =>
  formatYaml({
    clusters: [{ cluster: { 'certificate-authority-data': btoa(authorities) }, name: 'local' }],
    kind: 'Config',
  });

const versionOf = async () =>
  (await world.kube.get(controllerConfig, { name: 'machine-config-controller' }))?.metadata.resourceVersion;

async function untilSynced(): Promise<void> {
  await world.env.clock.advance(2_000);
  const key = annotations.lastSyncedControllerConfigResourceVersion;
  const isSynced = async () => {
    const version = await versionOf();
    return (await world.nodes()).every(({ metadata }) => metadata.annotations?.[key] === version);
  };
  await world.until('all nodes have the last version', isSynced, 20_000);
}

it('Rotated CAs and a changed pull secret reach all nodes of a paused pool in one sync, without a cordon, drain, update or reboot.', async () => {
  await patchPool(world, 'worker', { paused: true });
  const current = await target(world, 'worker');
  // Pending changes do not matter either.
  await world.apply(aMachineConfig('50-worker-motd', 'worker', 'hello'));
  await world.until('a new target', async () => (await target(world, 'worker')) !== current, MINUTE);
  await world.env.clock.advance(MINUTE);
  const found = recordDisturbances();
  const before = await bootIds();
  const add = (namespace: string, name: string, data: { readonly [key: string]: string }) =>
    world.kube.create(configMap, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace },
      data,
    });
  await add('openshift-config-managed', 'kube-apiserver-client-ca', { 'ca-bundle.crt': CERTIFICATE });
  await add('openshift-config-managed', 'kube-cloud-config', { 'ca-bundle.pem': 'cloud CA' });
  for (const node of nodes) {
    for (const path of KUBECONFIGS) await node.write(path, kubeconfig(FORMER_CERTIFICATE), 0o600);
  }
  const startsBefore = await kubeletStarts();
  const both = `${CERTIFICATE}${FORMER_CERTIFICATE}`;
  await add('openshift-config-managed', 'kube-apiserver-server-ca', { 'ca-bundle.crt': both });
  await add('openshift-config', 'registry-cas', { 'mirror.example..5000': CERTIFICATE });
  await world.kube.create(image, { ...anImage(), spec: { additionalTrustedCA: { name: 'registry-cas' } } });
  const pullSecret = (auth: string) => ({
    '.dockerconfigjson': btoa(JSON.stringify({ auths: { 'mirror.example:5000': { auth } } })),
  });
  const place = { name: 'pull-secret', namespace: 'openshift-config' };
  await world.kube.create(secret, {
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: place },
    ...{ type: 'kubernetes.io/dockerconfigjson', data: pullSecret('YTph') },
  });
  await untilSynced();
  const everywhere = (text: string) => nodes.map(() => text);
  expect(await filesOf('/etc/kubernetes/kubelet-ca.crt')).toEqual(everywhere(CERTIFICATE));
  expect(await filesOf('/etc/docker/certs.d/mirror.example:5000/ca.crt')).toEqual(everywhere(CERTIFICATE));
  const cloud = '/etc/kubernetes/static-pod-resources/configmaps/cloud-config/ca-bundle.pem';
  expect(await filesOf(cloud)).toEqual(everywhere('cloud CA\n'));
  for (const path of KUBECONFIGS) expect(await filesOf(path)).toEqual(everywhere(kubeconfig(both)));
  expect(await kubeletStarts()).toEqual(startsBefore.map((count) => count + 1));
  const credentials = '/etc/mco/internal-registry-pull-secret.json';
  expect(await filesOf(credentials)).toEqual(everywhere('{"auths":{"mirror.example:5000":{"auth":"YTph"}}}'));

  await world.kube.patch(secret, place, { type: 'merge', body: { data: pullSecret('Yjpi') } });
  const rotated = { data: { 'ca-bundle.crt': `${CERTIFICATE}${CERTIFICATE}` } };
  const ca = { name: 'kube-apiserver-client-ca', namespace: 'openshift-config-managed' };
  await world.kube.patch(configMap, ca, { type: 'merge', body: rotated });
  await untilSynced();
  expect(await filesOf('/etc/kubernetes/kubelet-ca.crt')).toEqual(everywhere(`${CERTIFICATE}${CERTIFICATE}`));
  expect(await filesOf(credentials)).toEqual(everywhere('{"auths":{"mirror.example:5000":{"auth":"Yjpi"}}}'));

  // Long enough for a look for drift.
  await world.env.clock.advance(10 * MINUTE);
  expect(found).toEqual([]);
  expect(await bootIds()).toEqual(before);
  const status = (await world.kube.get(controllerConfig, { name: 'machine-config-controller' }))?.status;
  expect(status?.controllerCertificates?.map(({ bundleFile }) => bundleFile)).toEqual([
    ...['KubeAPIServerServingCAData', 'KubeAPIServerServingCAData', 'RootCAData'],
    'mirror.example..5000',
  ]);
  const expiry = {
    bundle: 'KubeAPIServerServingCAData',
    subject: CERTIFICATE_SUBJECT,
    expiry: '2036-11-14T01:21:05Z',
  };
  expect((await world.pool('worker')).status?.certExpirys).toEqual([expiry, expiry]);
});

it('A changed CA bundle of users is rendered, and waits while the pool is paused.', async () => {
  const before = await target(world, 'worker');
  const found = recordDisturbances();
  await world.kube.create(configMap, {
    ...{
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'user-ca-bundle', namespace: 'openshift-config' },
    },
    data: { 'ca-bundle.crt': CERTIFICATE },
  });
  await world.until('a new target', async () => (await target(world, 'worker')) !== before, MINUTE);
  await world.env.clock.advance(5 * MINUTE);
  const path = '/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt';
  expect((await filesOf(path)).includes(CERTIFICATE)).toBe(false);
  expect(found).toEqual([]);
  await patchPool(world, 'worker', { paused: false });
  await world.untilUpdated(['worker'], 30 * MINUTE);
  expect(await filesOf(path)).toEqual(nodes.map(() => CERTIFICATE));
});

it('A changed pull secret of kubelets is rendered, and reaches the nodes without a cordon, drain or reboot.', async () => {
  const found = recordDisturbances();
  const before = await bootIds();
  const place = { name: 'pull-secret', namespace: 'openshift-config' };
  const data = { '.dockerconfigjson': btoa('{"auths":{"quay.io":{"auth":"Yzpj"}}}') };
  await patchPool(world, 'worker', { paused: true });
  const rendered = await target(world, 'worker');
  await world.kube.patch(secret, place, { type: 'merge', body: { data } });
  await world.until('a new target', async () => (await target(world, 'worker')) !== rendered, MINUTE);
  await world.env.clock.advance(MINUTE);
  const path = '/var/lib/kubelet/config.json';
  expect((await filesOf(path)).some((text) => text?.includes('quay.io'))).toBe(false);
  expect(found).toEqual([]);
  await patchPool(world, 'worker', { paused: false });
  await world.untilUpdated(['worker'], 30 * MINUTE);
  expect(await filesOf(path)).toEqual(nodes.map(() => '{"auths":{"quay.io":{"auth":"Yzpj"}}}\n'));
  expect(found.filter((text) => /cordoned|drain/.test(text))).toEqual([]);
  expect(await bootIds()).toEqual(before);
});
