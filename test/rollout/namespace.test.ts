/**
 * All components as processes, installed in another namespace, each with its own identity: a rollout by the real daemon and the life
 * of an OS image, without a request about the usual namespace.
 */

import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { annotations, machineConfig, machineConfigPool, NAMESPACE } from '../../src/api/index.ts';
import { uninstall } from '../../src/cli/install/uninstall.ts';
import { installedNamespace } from '../../src/cli/installed-namespace.ts';
import { readTemplates } from '../../src/cli/render/read-templates.ts';
import { DEFAULT_SETTINGS } from '../../src/controllers/index.ts';
import { type ApiServer, createApiServer, createMemoryStore } from '../../src/embedded/apiserver/index.ts';
import { createMemoryDisk, createSandboxMachine } from '../../src/embedded/sandbox/index.ts';
import { installManifests } from '../../src/embedded/up/install-manifests-node.ts';
import { DEFAULT_BUILD_LIMITS } from '../../src/images/index.ts';
import { inNamespace, parseManifests } from '../../src/install/index.ts';
import {
  createInProcessTransport,
  createKube,
  type InProcessUser,
  type Kube,
} from '../../src/kubernetes/client/index.ts';
import { nameOf } from '../../src/kubernetes/meta/index.ts';
import {
  configMap,
  daemonSet,
  deployment,
  event,
  lease,
  node as nodeKind,
  role,
  serviceAccount,
} from '../../src/kubernetes/types/index.ts';
import {
  DaemonMetrics,
  DEFAULT_DAEMON_SETTINGS,
  initialAnnotations,
  writeInitialConfig,
} from '../../src/node/daemon/index.ts';
import { readNodeConfig } from '../../src/node/plan/index.ts';
import { ComponentMetrics } from '../../src/processes/component-metrics.ts';
import { type ComponentName, runComponent } from '../../src/processes/component-process.ts';
import { runDaemon } from '../../src/processes/daemon-process.ts';
import { anImage, pullFrom } from '../host/an-image.ts';
import { aPool } from '../support/build.ts';
import { runBuildStory, willingRegistry } from '../support/build-story.ts';
import { files, manifestsIn, textOfFile } from '../support/manifests-files.ts';
import { buildPodIdentity, daemonIdentity, identitiesIn } from '../support/manifests-identities.ts';
import { NO_RATE_LIMIT, type RightsRecord, recording } from '../support/manifests-story.ts';
import { meanwhile, virtualEnv } from '../support/virtual-env.ts';
import { aMachineConfig, aNode } from './build-world.ts';
import { RELEASE, root } from './control.ts';

const OURS = 'machines';
const OS_IMAGE = 'registry.example/os:1';
const LIMIT_MS = 30 * 60_000;
const env = virtualEnv();
const directory = manifestsIn(OURS);
const registry = willingRegistry();
const record: Required<RightsRecord> = {
  who: 'a component',
  used: new Set(),
  refused: [],
  deleted: new Set(),
  namespaces: new Set(),
};
const running: Promise<void>[] = [];
let server: ApiServer;
let admin: Kube;

const transportAs = (user: InProcessUser) => createInProcessTransport({ handle: server.handle, user });
const kubeAs = (user: InProcessUser) =>
  createKube({ transport: transportAs(user), env, fieldManager: 'story', limits: NO_RATE_LIMIT });

beforeAll(async () => {
  server = await createApiServer({ store: createMemoryStore(), env, tokenKey: new Uint8Array(32) });
  admin = kubeAs({ name: 'admin', groups: ['system:masters'] });
  await meanwhile(env, installManifests({ handle: server.handle, clock: env.clock, directory }));
  await admin.create(nodeKind, aNode('a', ['worker']));
  await admin.create(configMap, {
    ...{ apiVersion: 'v1', kind: 'ConfigMap' },
    metadata: { name: 'machine-config-osimageurl', namespace: OURS },
    data: { releaseVersion: RELEASE.releaseVersion, baseOSContainerImage: OS_IMAGE },
  });
  for (const name of ['operator', 'controller', 'builder'] as const) await start(name);
  await until('the pool has a config', async () => (await configName()) !== '');
  await installMachine();
});
afterAll(async () => {
  env.stop();
  await env.clock.resolved(Promise.allSettled(running), LIMIT_MS);
  await server.close();
  rmSync(directory, { recursive: true });
});

describe('installed in another namespace', () => {
  it('a new MachineConfig reaches a node', async () => {
    await until('the node is in its pool', isDone);
    const rendered = await admin.get(machineConfig, { name: await configName() });
    expect(rendered?.spec?.osImageURL).toBe(OS_IMAGE);
    const before = await configName();
    await admin.apply(machineConfig, aMachineConfig('50-worker-story', 'worker', 'x'));
    await until('there is a new config', async () => (await configName()) !== before);
    const after = await configName();
    await until(
      'the node has it',
      async () => (await isDone()) && (await nodeAnnotation(annotations.currentConfig)) === after,
    );
  });

  it('an OS image is built, built again and deleted', async () => {
    await admin.create(machineConfigPool, aPool('infra'));
    const podKube = async (name: string) => kubeAs(buildPodIdentity(name, OURS));
    await runBuildStory({ namespace: OURS, admin, registry, podKube, until });
  });

  it('the Leases and events of the components are in that namespace', async () => {
    const leases = (await admin.list(lease, { namespace: OURS })).items.map(nameOf);
    expect(leases).toEqual(['machine-config', 'machine-config-controller', 'machine-os-builder']);
    const events = (await admin.list(event, { namespace: OURS })).items;
    const writers = new Set(events.map(({ source }) => source?.component ?? ''));
    expect([...writers]).toEqual(
      expect.arrayContaining(['machineconfigcontroller-rendercontroller', 'machineconfigdaemon']),
    );
  });

  it('no request of a component was refused, or was about the usual namespace', () => {
    expect(record.refused).toEqual([]);
    expect([...record.namespaces]).toContain(OURS);
    expect([...record.namespaces]).not.toContain(NAMESPACE);
  });
});

describe('millwright uninstall', () => {
  it('finds that namespace, removes everything from it, and leaves it without its mark', async () => {
    const namespace = await installedNamespace({}, admin);
    expect(namespace).toBe(OURS);
    const lines: string[] = [];
    const objects = parseManifests(new Map(files.map((name) => [name, textOfFile(name)])))
      .flatMap((file) => file.objects)
      .map((object) => inNamespace(object, namespace));
    const parts = { kube: admin, clock: env.clock, signal: env.signal, namespace, objects };
    const options = { deletesCrds: false, isDryRun: false, timeoutMs: LIMIT_MS };
    await meanwhile(env, uninstall({ ...parts, ...options, print: (line) => lines.push(line) }));
    expect(lines.join('\n')).toContain(
      `namespaces ${OURS}, openshift-config, openshift-config-managed, with`,
    );
    for (const kind of [deployment, daemonSet, role, serviceAccount, lease]) {
      expect((await admin.list(kind, { namespace: OURS })).items.map(nameOf)).toEqual([]);
    }
    expect(await installedNamespace({}, admin)).toBe(NAMESPACE);
  });
});

async function start(name: ComponentName): Promise<void> {
  running.push(
    runComponent(name, {
      env,
      transport: recording(transportAs(identitiesIn(OURS)[name]), record),
      version: 'test',
      release: RELEASE,
      templates: await readTemplates(root),
      settings: { ...DEFAULT_SETTINGS, namespace: OURS },
      builds: { registry, builderImage: 'registry.example/builder:1', limits: DEFAULT_BUILD_LIMITS },
      identity: name,
      metrics: new ComponentMetrics(name),
    }),
  );
}

/** A machine that was installed with the first config of its pool. */
async function installMachine(): Promise<void> {
  const first = await admin.get(machineConfig, { name: await configName() });
  const read = first && readNodeConfig(first);
  if (read?.kind !== 'ok') throw new Error('the first config cannot be read');
  const machine = createSandboxMachine({
    ...{ disk: createMemoryDisk(), clock: env.clock, random: env.random },
    durations: { bootMs: 0, shutDownMs: 0, pullMs: 0, stageMs: 0 },
    pullImage: pullFrom({ [read.value.osImage]: anImage() }),
  });
  const { osImage: image, kernelArguments } = read.value;
  await meanwhile(env, machine.provision({ image, kernelArguments }));
  await meanwhile(env, machine.boot());
  await writeInitialConfig({ host: machine.host, env }, read.value, initialAnnotations(read.value));
  let ending = new AbortController();
  env.signal.addEventListener('abort', () => ending.abort());
  const startDaemon = () => {
    ending = new AbortController();
    running.push(
      runDaemon({
        env: { ...env, signal: ending.signal },
        transport: recording(transportAs(daemonIdentity('a', OURS)), record),
        ...{ version: 'test', namespace: OURS, nodeName: 'a', architecture: 'amd64' },
        ...{ host: machine.host, settings: DEFAULT_DAEMON_SETTINGS, metrics: new DaemonMetrics() },
      }),
    );
  };
  machine.onPower((change) => (change.kind === 'up' ? startDaemon() : ending.abort()));
  startDaemon();
}

async function configName(): Promise<string> {
  return (await admin.get(machineConfigPool, { name: 'worker' }))?.spec.configuration?.name ?? '';
}

async function nodeAnnotation(key: string): Promise<string | undefined> {
  return (await admin.get(nodeKind, { name: 'a' }))?.metadata.annotations?.[key];
}

async function isDone(): Promise<boolean> {
  return (await nodeAnnotation(annotations.state)) === 'Done';
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = env.clock.monotonic() + LIMIT_MS;
  while (!(await holds())) {
    if (env.clock.monotonic() > end)
      throw new Error(`${what}: not in time; refused: ${record.refused[0] ?? 'nothing'}`);
    await env.clock.advance(100);
  }
}
