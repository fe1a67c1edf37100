/**
 * A cluster that was installed by others: a control plane node of kubeadm, and workers without any role. Installing
 * Millwright with the base `none` changes nothing on any of them; then an administrator declares something.
 */
import { afterEach, describe, expect, it } from 'vitest';
import {
  annotations,
  kubeletConfig as kubeletConfigKind,
  type MachineConfig,
  machineConfig as machineConfigKind,
  machineConfigNode as machineConfigNodeKind,
} from '../../src/api/index.ts';
import { configMap as configMapKind, node as nodeKind } from '../../src/kubernetes/types/index.ts';
import type { HostFiles } from '../../src/node/host/index.ts';
import { aMachineConfig, aNode, type World } from '../rollout/build-world.ts';
import { type Judge, watchAsJudge } from '../rollout/judge.ts';
import { condition, HOUR, MINUTE, patchPool, target } from '../rollout/story-steps.ts';
import { type ControllerOptions, startWorld } from '../rollout/world.ts';
import { createDaemonNode, type DaemonNode, OLD_OS, osImages } from './daemon-node.ts';
import { differences, filesOf } from './files-of.ts';

const NONE: ControllerOptions = { settings: { base: 'none', isMasterPaused: true } };
/** The name of each machine, and its roles. */
const MACHINES = { 'cp-0': ['control-plane'], 'node-a': [], 'node-b': [] } as const;

let world: World;
let judge: Judge;
let nodes: readonly DaemonNode[] = [];

afterEach(async () => {
  for (const node of nodes) node.stopDaemon();
  await world.stop();
});

async function begin({ isOstreeBooted = false } = {}): Promise<void> {
  world = await startWorld({ masters: 0, workers: 0 });
  judge = watchAsJudge(world.store, (name) => (name.startsWith('cp') ? 'master' : 'worker'));
  const made: DaemonNode[] = [];
  for (const [name, roles] of Object.entries(MACHINES)) {
    await world.kube.create(nodeKind, aNode(name, roles));
    const { env, server } = world;
    const options = { env, handle: server.handle, name, images: osImages(), image: OLD_OS };
    const node = await createDaemonNode({ ...options, isOstreeBooted });
    await node.write('/etc/kubernetes/kubelet.conf', 'the kubeconfig of kubeadm\n', 0o600);
    await node.write('/etc/ours', 'of the distribution\n', 0o640);
    await node.write('/etc/systemd/system-preset/20-ignition.preset', 'enable a.service\n');
    await node.machine.host.files.makeFolder('/etc/docker/certs.d/registry.example', { mode: 0o755 });
    made.push(node);
  }
  nodes = made;
}

/** A kubelet's CA is in every cluster. */
async function createKubeletCa(): Promise<void> {
  const metadata = { name: 'extension-apiserver-authentication', namespace: 'kube-system' };
  const body = { metadata, apiVersion: 'v1', kind: 'ConfigMap', data: { 'client-ca-file': 'a CA\n' } };
  await world.kube.apply(configMapKind, body);
}

const snapshots = () => Promise.all(nodes.map(({ machine }) => filesOf(machine.host.files)));
const bootIds = () => Promise.all(nodes.map(({ machine }) => machine.host.bootId()));
const startDaemons = () => {
  for (const node of nodes) node.startDaemon();
};
const aFile = (name: string, role: string, path: string, text: string): MachineConfig => ({
  ...aMachineConfig(name, role, text),
  spec: {
    config: {
      ignition: { version: '3.4.0' },
      storage: { files: [{ path, mode: 0o644, contents: { source: `data:,${encodeURIComponent(text)}` } }] },
    },
  },
});
const sources = async () => {
  const { items } = await world.kube.list(machineConfigKind);
  return items.map(({ metadata }) => metadata.name).filter((name) => !name.startsWith('rendered-'));
};
/** Everything of a Node that a user of the cluster would notice. */
const visible = async () =>
  (await world.nodes()).map(({ metadata, spec }) => [metadata.name, metadata.labels, spec]);

describe.each([
  ['packages', false],
  ['an OS image', true],
])('an installation on nodes with %s', (_, isOstreeBooted) => {
  it('changes nothing on any node, and its pools are updated', async () => {
    await begin({ isOstreeBooted });
    await createKubeletCa();
    const before = [await snapshots(), await bootIds(), await visible()] as const;
    await world.startControllers(undefined, NONE);
    startDaemons();
    await world.untilUpdated(['master', 'worker'], 5 * MINUTE);
    await world.env.clock.advance(HOUR);
    expect(await sources()).toEqual([]);
    const counts = async (pool: string) => (await world.pool(pool)).status?.updatedMachineCount;
    expect([await counts('master'), await counts('worker')]).toEqual([1, 2]);
    expect([(await world.pool('master')).spec.paused, (await world.pool('worker')).spec.paused]).toEqual([
      true,
      undefined,
    ]);
    for (const [index, after] of (await snapshots()).entries()) {
      expect(differences(before[0][index] ?? new Map(), after)).toEqual([]);
    }
    expect([await bootIds(), await visible()]).toEqual([before[1], before[2]]);
    expect([judge.faults, [...judge.drains.values()]]).toEqual([[], []]);
    const { items } = await world.kube.list(machineConfigNodeKind);
    expect(items.map(({ spec }) => spec.pool.name)).toEqual(['master', 'worker', 'worker']);
  });
});

describe('after an installation that changed nothing', () => {
  const installed = async () => {
    await begin();
    await world.startControllers(undefined, NONE);
    startDaemons();
    await world.untilUpdated(['master', 'worker'], 5 * MINUTE);
  };

  it('the first MachineConfig changes exactly its file, on workers only, and removing it restores the file', async () => {
    await installed();
    const before = await snapshots();
    const empty = await target(world, 'worker');
    await world.apply(aFile('50-worker', 'worker', '/etc/ours', 'declared\n'));
    await world.until('another target', async () => (await target(world, 'worker')) !== empty, MINUTE);
    await world.untilUpdated(['master', 'worker'], HOUR);
    const changed = (await snapshots()).map((after, index) => differences(before[index] ?? new Map(), after));
    expect(changed).toEqual([[], ['/etc/ours'], ['/etc/ours']]);
    expect(await nodes[1]?.text('/etc/ours')).toBe('declared\n');
    expect(judge.faults).toEqual([]);
    await world.kube.delete(machineConfigKind, { name: '50-worker' });
    await world.until('the empty target', async () => (await target(world, 'worker')) === empty, MINUTE);
    await world.untilUpdated(['worker'], HOUR);
    const restored = (await snapshots()).map((after, index) =>
      differences(before[index] ?? new Map(), after),
    );
    expect(restored).toEqual([[], [], []]);
  });

  it('files, units, drop-ins, masks and SSH keys that were there come back when the config no longer has them', async () => {
    await installed();
    for (const { write, machine } of nodes) {
      const owner = await machine.host.accounts.user('core');
      for (const path of ['/home/core/.ssh', '/home/core/.ssh/authorized_keys.d']) {
        await machine.host.files.makeFolder(path, { mode: 0o700, ...(owner && { owner }) });
      }
      await write('/etc/ssh/sshd_config.d/10-site.conf', 'PasswordAuthentication no\n', 0o600);
      await write('/etc/systemd/system/site.service', '[Service]\nExecStart=/opt/site\n');
      await write('/etc/systemd/system/masked.service', '[Service]\nExecStart=/opt/masked\n');
      await write('/etc/systemd/system/kubelet.service.d/20-site.conf', '[Service]\nNice=1\n');
      await write('/home/core/.ssh/authorized_keys.d/ignition', 'ssh-ed25519 of-the-site\n', 0o600);
    }
    const before = await snapshots();
    const empty = await target(world, 'worker');
    const taken = aFile('50-worker', 'worker', '/etc/ssh/sshd_config.d/10-site.conf', 'UsePAM yes\n');
    const config = {
      ...(taken.spec?.config as object),
      systemd: {
        units: [
          { name: 'site.service', contents: '[Service]\nExecStart=/opt/declared\n' },
          { name: 'masked.service', contents: '[Service]\nExecStart=/opt/x\n', mask: true },
          { name: 'kubelet.service', dropins: [{ name: '20-site.conf', contents: '[Service]\nNice=2\n' }] },
        ],
      },
      passwd: { users: [{ name: 'core', sshAuthorizedKeys: ['ssh-ed25519 declared'] }] },
    };
    await world.apply({ ...taken, spec: { config } });
    await world.until('another target', async () => (await target(world, 'worker')) !== empty, MINUTE);
    await world.untilUpdated(['worker'], HOUR);
    const [, during] = await snapshots();
    expect(differences(before[1] ?? new Map(), during ?? new Map())).toEqual([
      '/etc/ssh/sshd_config.d/10-site.conf',
      '/etc/systemd/system/kubelet.service.d/20-site.conf',
      '/etc/systemd/system/masked.service',
      '/etc/systemd/system/site.service',
      '/var/home/core/.ssh/authorized_keys.d/ignition',
    ]);
    await world.kube.delete(machineConfigKind, { name: '50-worker' });
    await world.until('the empty target', async () => (await target(world, 'worker')) === empty, MINUTE);
    await world.untilUpdated(['worker'], HOUR);
    const after = await snapshots();
    expect(after.map((one, index) => differences(before[index] ?? new Map(), one))).toEqual([[], [], []]);
    const state = '/etc/machine-config-daemon';
    const kept = [...(await filesOf(nodes[1]?.machine.host.files as HostFiles, `${state}/orig`))];
    expect(kept.filter(([, what]) => what.startsWith('file'))).toEqual([]);
  });

  it.each([
    ['with a drop-in', { dropins: [{ name: '10-site.conf', contents: '[Service]\nNice=2\n' }] }],
    ['with contents', { contents: '[Service]\nExecStart=/opt/agent\n[Install]\nWantedBy=default.target\n' }],
    ['as disabled', { enabled: false }],
  ])(
    'a service that its installer enabled stays so when a config that had it %s is gone',
    async (how, unit) => {
      await installed();
      for (const { write, machine } of nodes) {
        // As on Fedora and RHEL: what no preset names is disabled.
        await write('/etc/systemd/system-preset/00-site.preset', 'disable *\n');
        const agent = '[Service]\nExecStart=/usr/local/bin/agent\n[Install]\nWantedBy=multi-user.target\n';
        await write('/etc/systemd/system/agent.service', agent);
        await machine.host.units.enable(['agent.service']);
      }
      const before = await snapshots();
      const empty = await target(world, 'worker');
      const states = () =>
        Promise.all(nodes.map(({ machine }) => machine.host.units.isEnabled('agent.service')));
      const systemd = { units: [{ name: 'agent.service', ...unit }] };
      const config = { ignition: { version: '3.4.0' }, systemd };
      await world.apply({ ...aFile('50-worker', 'worker', '/etc/x', ''), spec: { config } });
      await world.until('another target', async () => (await target(world, 'worker')) !== empty, MINUTE);
      await world.untilUpdated(['worker'], HOUR);
      const during = how === 'as disabled' ? 'disabled' : 'enabled';
      expect(await states()).toEqual(['enabled', during, during]);
      await world.kube.delete(machineConfigKind, { name: '50-worker' });
      await world.until('the empty target', async () => (await target(world, 'worker')) === empty, MINUTE);
      await world.untilUpdated(['worker'], HOUR);
      const after = await snapshots();
      // Empty folders mean nothing to systemd.
      const isFile = (one: ReadonlyMap<string, string>) => (path: string) =>
        !one.get(path)?.startsWith('folder');
      const left = after.map((one, index) =>
        differences(before[index] ?? new Map(), one).filter(isFile(one)),
      );
      expect(left).toEqual([[], [], []]);
    },
  );

  it('a MachineConfig of the paused master pool changes nothing until the pool is unpaused', async () => {
    await installed();
    const before = await target(world, 'master');
    await world.apply(aFile('50-master', 'master', '/etc/declared', 'declared\n'));
    await world.until('another target', async () => (await target(world, 'master')) !== before, MINUTE);
    await world.env.clock.advance(HOUR);
    expect(await nodes[0]?.text('/etc/declared')).toBeUndefined();
    expect((await condition(world, 'master', 'Updated'))[0]).toBe('False');
    await patchPool(world, 'master', { paused: false });
    await world.untilUpdated(['master'], HOUR);
    expect(await nodes[0]?.text('/etc/declared')).toBe('declared\n');
  });

  it('a KubeletConfig writes a drop-in with the declared fields only', async () => {
    await installed();
    const before = await snapshots();
    await world.kube.create(kubeletConfigKind, {
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'KubeletConfig',
      metadata: { name: 'more-pods' },
      spec: {
        machineConfigPoolSelector: {
          matchLabels: { 'pools.operator.machineconfiguration.openshift.io/worker': '' },
        },
        kubeletConfig: { maxPods: 300 },
      },
    });
    const path = '/etc/kubernetes/kubelet.conf.d/more-pods.conf';
    await world.until('written', async () => (await nodes[1]?.text(path)) !== undefined, HOUR);
    await world.untilUpdated(['worker'], HOUR);
    expect(await nodes[1]?.text(path)).toBe(
      'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPods: 300\n',
    );
    const [, after] = await snapshots();
    expect(differences(before[1] ?? new Map(), after ?? new Map())).toEqual([
      '/etc/kubernetes/kubelet.conf.d',
      path,
    ]);
  });
});

describe('a node that joins a pool with a config', () => {
  it('does not claim what its disk does not have: it is updated like any node', async () => {
    await begin();
    await world.startControllers(undefined, NONE);
    await world.apply(aFile('50-worker', 'worker', '/etc/declared', 'declared\n'));
    const hasConfig = async () => (await target(world, 'worker').catch(() => '')) !== '';
    await world.until('a target', hasConfig, MINUTE);
    const config = await target(world, 'worker');
    startDaemons();
    const current = async (name: string) =>
      (await world.node(name)).metadata.annotations?.[annotations.currentConfig];
    await world.until('it reports', async () => (await current('node-a')) !== undefined, MINUTE);
    expect(await current('node-a')).toBe('mco-empty-mc');
    await world.untilUpdated(['worker'], HOUR);
    expect(await current('node-a')).toBe(config);
    for (const node of nodes.slice(1)) expect(await node.text('/etc/declared')).toBe('declared\n');
    expect([judge.drains.get('node-a'), judge.drains.get('node-b'), judge.drains.get('cp-0')]).toEqual([
      1,
      1,
      undefined,
    ]);
    expect([judge.faults, judge.mostDown.get('worker')]).toEqual([[], 1]);
  });
});
