/** Invalid input: each mistake is reported on its object with a remedy, and affects nothing else. */
import { afterEach, describe, expect, it } from 'vitest';
import {
  annotations,
  labels,
  type MachineConfigPool,
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
  nodeRoleLabel,
} from '../../src/api/index.ts';
import {
  configMap as configMapKind,
  event as eventKind,
  node as nodeKind,
  validatingAdmissionPolicyBinding,
} from '../../src/kubernetes/types/index.ts';
import { aMachineConfig, type World, type WorldOptions } from './build-world.ts';
import { type Judge, watchAsJudge } from './judge.ts';
import type { DaemonScript } from './scripted-daemons.ts';
import {
  condition,
  cordoned,
  eventsAbout,
  firstConfig,
  HOUR,
  MINUTE,
  newTarget,
  patchPool,
  target,
} from './story-steps.ts';
import { startWorld } from './world.ts';

const ROLE = 'machineconfiguration.openshift.io/role';

describe('with invalid input', () => {
  let world: World;
  let judge: Judge;
  afterEach(() => world.stop());

  const begin = async (options: WorldOptions = {}, script: Partial<DaemonScript> = {}): Promise<void> => {
    world = await startWorld({ masters: 1, workers: 2, ...options });
    judge = watchAsJudge(world.store, (node, given) => {
      const custom = ['infra', 'gpu'].find((role) => nodeRoleLabel(role) in given);
      return custom ?? node.replace(/-\d+$/, '');
    });
    await world.startControllers();
    await world.startDaemons(script);
    await firstConfig(world);
  };
  const createPool = async (name: string, spec: Partial<MachineConfigPool['spec']> = {}): Promise<void> => {
    await world.kube.create(machineConfigPoolKind, {
      ...{
        apiVersion: 'machineconfiguration.openshift.io/v1',
        kind: 'MachineConfigPool',
        metadata: { name },
      },
      spec: {
        machineConfigSelector: {
          matchExpressions: [{ key: ROLE, operator: 'In', values: ['worker', name] }],
        },
        nodeSelector: { matchLabels: { [nodeRoleLabel(name)]: '' } },
        ...spec,
      },
    });
  };
  const label = async (node: string, given: { readonly [key: string]: string | null }): Promise<void> => {
    await world.kube.patch(
      nodeKind,
      { name: node },
      { type: 'merge', body: { metadata: { labels: given } } },
    );
  };
  const messages = async (kind: string, name: string, reason: string): Promise<readonly string[]> =>
    (await eventsAbout(world, kind, name)).filter((one) => one.reason === reason).map((one) => one.message);
  const configOf = async (node: string) =>
    (await world.node(node)).metadata.annotations?.[annotations.currentConfig];
  const counts = async (pool: string) => {
    const { machineCount, updatedMachineCount } = (await world.pool(pool)).status ?? {};
    return [machineCount, updatedMachineCount];
  };
  /** Other pools still roll out. */
  const othersGoOn = async (pool = 'master'): Promise<void> => {
    await newTarget(world, pool, `others go on at ${world.env.clock.now()}`);
    await world.untilUpdated([pool], HOUR);
  };
  const nothingMoves = async (durationMs = 10 * MINUTE): Promise<void> => {
    const before = [...judge.drains.values()].reduce((sum, count) => sum + count, 0);
    await world.env.clock.advance(durationMs);
    expect([...judge.drains.values()].reduce((sum, count) => sum + count, 0)).toBe(before);
  };

  it('an invalid maxUnavailable stops only its own pool, until it is fixed', async () => {
    await begin();
    await patchPool(world, 'worker', { maxUnavailable: '50' });
    await newTarget(world, 'worker', 'hello');
    await nothingMoves();
    expect(await messages('MachineConfigPool', 'worker', 'InvalidSpec')).toEqual([
      'spec.maxUnavailable: invalid value for IntOrString: invalid type: string is not a percentage; give a whole number such as 1, or a percentage such as "10%"',
    ]);
    expect((await condition(world, 'worker', 'Updating'))[0]).toBe('True');
    await othersGoOn();
    await patchPool(world, 'worker', { maxUnavailable: '50%' });
    await world.untilUpdated(['worker'], HOUR);
    expect(judge.faults).toEqual([]);
  });

  it('a mistake is reported once, and does not suppress other events of the pool', async () => {
    await begin();
    await patchPool(world, 'worker', { maxUnavailable: -1 });
    // The pool is reconciled far more often than events are written.
    for (let beat = 0; beat < 60; beat++) {
      await label('worker-0', { beat: String(beat) });
      const body = {
        metadata: { annotations: { [annotations.reason]: String(beat), [annotations.state]: 'Degraded' } },
      };
      await world.kube.patch(nodeKind, { name: 'worker-0' }, { type: 'merge', body });
      await world.env.clock.advance(100);
    }
    const events = (await eventsAbout(world, 'MachineConfigPool', 'worker')).filter(
      ({ reason }) => reason === 'InvalidSpec',
    );
    expect(events).toMatchObject([{ count: 1 }]);
    // The event is repeated before the old one expires.
    await world.env.clock.advance(40 * MINUTE);
    await label('worker-1', { [labels.zone]: 'a' });
    await world.env.clock.advance(MINUTE);
    expect((await messages('MachineConfigPool', 'worker', 'InvalidSpec')).length).toBe(2);
    await patchPool(world, 'worker', { maxUnavailable: 1 });
    const config = await newTarget(world, 'worker', 'hello');
    await world.untilUpdated(['worker'], HOUR);
    expect(await messages('MachineConfigPool', 'worker', 'Completed')).toContain(
      `Pool worker has completed update to MachineConfig ${config}`,
    );
  });

  it('a pool that selects all nodes has none, and reports it', async () => {
    await begin();
    await createPool('infra', { nodeSelector: {} });
    await world.env.clock.advance(MINUTE);
    expect(await messages('MachineConfigPool', 'infra', 'SelectingAll')).toEqual([
      'This machineconfigpool is selecting all nodes. A non-empty selector is required.',
    ]);
    await othersGoOn('worker');
    expect(await counts('worker')).toEqual([2, 2]);
    expect(judge.faults).toEqual([]);
  });

  it('a pool that selects all MachineConfigs has none, and reports it', async () => {
    await begin();
    // Without the admission policy such a pool is accepted.
    await world.kube.delete(validatingAdmissionPolicyBinding, {
      name: 'custom-machine-config-pool-selector-binding',
    });
    await world.env.clock.advance(MINUTE);
    await createPool('infra', { machineConfigSelector: {} });
    await world.env.clock.advance(MINUTE);
    expect(await messages('MachineConfigPool', 'infra', 'SelectingAll')).toEqual([
      'This machineconfigpool is selecting all machineconfigs. A non-empty selector is required.',
    ]);
    await othersGoOn('worker');
    expect(await counts('worker')).toEqual([2, 2]);
    expect(judge.faults).toEqual([]);
  });

  it('an invalid node selector affects only its own pool', async () => {
    await begin();
    await createPool('infra', {
      nodeSelector: { matchExpressions: [{ key: nodeRoleLabel('infra'), operator: 'Near', values: ['x'] }] },
    });
    await world.env.clock.advance(MINUTE);
    expect(await messages('MachineConfigPool', 'infra', 'InvalidSpec')).toEqual([
      'spec.nodeSelector: invalid label selector: matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator',
    ]);
    // Updated would hide the mistake.
    expect((await condition(world, 'infra', 'Updated'))[0]).not.toBe('True');
    expect(await messages('MachineConfigPool', 'infra', 'Completed')).toEqual([]);
    await othersGoOn('worker');
    // With a valid selector it gets its nodes.
    await label('worker-1', { [nodeRoleLabel('infra')]: '' });
    await patchPool(world, 'infra', {
      nodeSelector: { matchExpressions: null, matchLabels: { [nodeRoleLabel('infra')]: '' } },
    });
    await world.untilUpdated(['infra', 'worker'], HOUR);
    expect(await counts('infra')).toEqual([1, 1]);
    expect(judge.faults).toEqual([]);
  });

  it('an invalid MachineConfig selector is reported in the condition of its pool', async () => {
    await begin();
    await createPool('infra', {
      machineConfigSelector: {
        matchExpressions: [
          { key: ROLE, operator: 'In', values: ['worker'] },
          { key: 'tier', operator: 'Near', values: ['x'] },
        ],
      },
    });
    await world.env.clock.advance(MINUTE);
    const [status, message] = await condition(world, 'infra', 'RenderDegraded');
    expect([status, message]).toEqual(['True', expect.stringContaining('matching selector')]);
    await othersGoOn('worker');
    expect(judge.faults).toEqual([]);
  });

  it.each([
    ['label comes last', true],
    ['second pool comes last', false],
  ])('a node in two custom pools is in none until a label is removed (%s)', async (_, labelLast) => {
    await begin();
    const both = { [nodeRoleLabel('infra')]: '', [nodeRoleLabel('gpu')]: '' };
    await createPool('infra');
    if (labelLast) await createPool('gpu');
    await world.env.clock.advance(MINUTE);
    await label('worker-1', both);
    await world.env.clock.advance(10_000);
    if (!labelLast) {
      await world.untilUpdated(['infra'], HOUR);
      await createPool('gpu');
    }
    await world.env.clock.advance(MINUTE);
    const message =
      'node worker-1 belongs to 2 custom roles, cannot proceed with this Node: it matches the pools gpu and infra; a node can be in one custom pool only, so remove the labels of all but one';
    expect(await messages('Node', 'worker-1', 'ConflictingPools')).toEqual([message]);
    for (const pool of ['infra', 'gpu'])
      expect(await messages('MachineConfigPool', pool, 'ConflictingPools')).toEqual([message]);
    const before = await configOf('worker-1');
    await othersGoOn('worker');
    expect(await configOf('worker-1')).toBe(before);
    expect(await counts('worker')).toEqual([1, 1]);
    await label('worker-1', { [nodeRoleLabel('gpu')]: null });
    await world.until('it is in the pool', async () => (await counts('infra'))[1] === 1, HOUR);
    expect(await configOf('worker-1')).toBe(await target(world, 'infra'));
    expect(judge.faults).toEqual([]);
  });

  it('a node that no pool selects gets an event', async () => {
    await begin();
    await label('worker-1', { [nodeRoleLabel('worker')]: null, [nodeRoleLabel('storage')]: '' });
    await world.env.clock.advance(MINUTE);
    expect(await messages('Node', 'worker-1', 'NoPool')).toEqual([
      'all nodes must be in a pool if managed by the MCO. Node worker-1 is not in a pool: give it the labels that a pool selects',
    ]);
    expect(await counts('worker')).toEqual([1, 1]);
    await othersGoOn('worker');
  });

  it('a MachineConfig that no pool selects gets an event', async () => {
    await begin();
    const { metadata, ...rest } = aMachineConfig('50-worker-motd', 'worker', 'hello');
    await world.apply({ ...rest, metadata: { name: metadata.name } });
    await world.apply(aMachineConfig('50-store-motd', 'store', 'hello'));
    await nothingMoves(MINUTE);
    // kubectl describe asks for events in this namespace, by the uid of the object.
    const { items } = await world.kube.list(eventKind, { namespace: 'default' });
    const uid = (await world.kube.get(machineConfigKind, { name: '50-worker-motd' }))?.metadata.uid;
    expect(items.filter(({ involvedObject }) => involvedObject?.uid === uid)).toMatchObject([
      { reason: 'NotSelected' },
    ]);
    expect(await messages('MachineConfig', '50-worker-motd', 'NotSelected')).toEqual([
      `No pool selects this MachineConfig (it has no label ${labels.role}), so it reaches no node: label it with the role of a pool, such as ${labels.role}=worker, or create a pool that selects it`,
    ]);
    expect(await messages('MachineConfig', '50-store-motd', 'NotSelected')).toMatchObject([
      expect.stringContaining('(its role is store)'),
    ]);
    expect((await eventsAbout(world, 'MachineConfig', '00-worker')).length).toBe(0);
    const before = await target(world, 'worker');
    await world.apply(aMachineConfig('50-worker-motd', 'worker', 'hello'));
    await world.until('a new target', async () => (await target(world, 'worker')) !== before, 20_000);
    await world.untilUpdated(['worker'], HOUR);
    expect(judge.faults).toEqual([]);
  });

  it('a MachineConfig with invalid Ignition is reported, and its pool keeps its target', async () => {
    await begin();
    const before = await target(world, 'worker');
    const wrong = aMachineConfig('50-worker-wrong', 'worker', 'hello');
    await world.apply({ ...wrong, spec: { config: { ignition: { version: '9.9.0' } } } });
    await world.until(
      'the pool is degraded',
      async () => (await condition(world, 'worker', 'RenderDegraded'))[0] === 'True',
      MINUTE,
    );
    const [, message] = await condition(world, 'worker', 'RenderDegraded');
    const why =
      'parsing Ignition config failed: unknown version. Supported spec versions: 2.2,3.0,3.1,3.2,3.3,3.4,3.5';
    expect(message).toBe(
      `Failed to render configuration for pool worker: could not generate rendered MachineConfig: ${why} (in MachineConfig 50-worker-wrong)`,
    );
    expect((await condition(world, 'worker', 'Degraded'))[0]).toBe('True');
    expect(await messages('MachineConfig', '50-worker-wrong', 'InvalidMachineConfig')).toEqual([
      `${why}: change or delete this MachineConfig; until then pool worker keeps ${before}`,
    ]);
    await nothingMoves(MINUTE);
    await othersGoOn();
    await world.kube.delete(machineConfigKind, { name: '50-worker-wrong' });
    await world.until(
      'the pool recovers',
      async () => (await condition(world, 'worker', 'RenderDegraded'))[0] === 'False',
      MINUTE,
    );
    expect(await target(world, 'worker')).toBe(before);
    expect(judge.faults).toEqual([]);
  });

  it.each([
    [
      "writes the daemon's own state",
      {
        storage: {
          files: [{ path: '/etc/machine-config-daemon/currentconfig', contents: { source: 'data:,x' } }],
        },
      },
      'cannot create /etc/machine-config-daemon/currentconfig via Ignition: the machine-config-daemon keeps its own state there; choose another path',
    ],
    [
      'has a mode without its zero',
      { storage: { files: [{ path: '/etc/chrony.conf', mode: 644, contents: { source: 'data:,x' } }] } },
      'invalid mode 01204 for /etc/chrony.conf, cannot exceed 0777',
    ],
    [
      'has contents of another hash',
      {
        storage: {
          files: [
            {
              path: '/etc/x',
              contents: { source: 'data:,x', verification: { hash: `sha256-${'0'.repeat(64)}` } },
            },
          ],
        },
      },
      'hash verification failed for /etc/x: verification.hash is not the hash of the contents',
    ],
  ])('a MachineConfig that %s is refused, with its name', async (_, sections, why) => {
    await begin();
    const before = await target(world, 'worker');
    const wrong = aMachineConfig('50-worker-wrong', 'worker', 'hello');
    await world.apply({ ...wrong, spec: { config: { ignition: { version: '3.2.0' }, ...sections } } });
    const isDegraded = async () => (await condition(world, 'worker', 'RenderDegraded'))[0] === 'True';
    await world.until('the pool is degraded', isDegraded, MINUTE);
    expect((await condition(world, 'worker', 'RenderDegraded'))[1]).toBe(
      `Failed to render configuration for pool worker: could not generate rendered MachineConfig: ${why} (in MachineConfig 50-worker-wrong)`,
    );
    expect(await messages('MachineConfig', '50-worker-wrong', 'InvalidMachineConfig')).toEqual([
      expect.stringContaining(
        `${why}: change or delete this MachineConfig; until then pool worker keeps ${before}`,
      ),
    ]);
    await nothingMoves(MINUTE);
    expect(judge.faults).toEqual([]);
  });

  it('a MachineConfig with several problems reports the first one and the number of the others', async () => {
    await begin();
    const spec = { kernelType: 'fast', kernelArguments: ['', 'a\nb'] };
    await world.apply({ ...aMachineConfig('50-worker-wrong', 'worker', ''), spec });
    const isDegraded = async () => (await condition(world, 'worker', 'RenderDegraded'))[0] === 'True';
    await world.until('the pool is degraded', isDegraded, MINUTE);
    expect(await messages('MachineConfig', '50-worker-wrong', 'InvalidMachineConfig')).toEqual([
      expect.stringContaining('kernelType=fast is invalid (and 2 more): change or delete this MachineConfig'),
    ]);
  });

  it('a MachineConfig with an account file of the OS is rolled out, with a warning on it', async () => {
    await begin();
    const files = [{ path: '/etc/shadow', contents: { source: 'data:,root' } }];
    const config = { ignition: { version: '3.5.0' }, storage: { files } };
    const before = await target(world, 'worker');
    await world.apply({ ...aMachineConfig('50-worker-shadow', 'worker', ''), spec: { config } });
    await world.until('a new target', async () => (await target(world, 'worker')) !== before, MINUTE);
    expect(await messages('MachineConfig', '50-worker-shadow', 'ConfigWarning')).toEqual([
      'spec.config.storage.files[0].path: /etc/shadow replaces all accounts of the OS on every node, and any change of an account on a node is then reported as drift; use passwd.users for keys and passwords (in pool worker)',
    ]);
    expect(await messages('MachineConfig', '00-worker', 'ConfigWarning')).toEqual([]);
  });

  it('a MachineConfig that skips a check which does not exist is rolled out, with a warning on it', async () => {
    await begin();
    const { metadata, ...rest } = aMachineConfig('50-worker-mine', 'worker', 'hello');
    const before = await target(world, 'worker');
    await world.apply({
      ...rest,
      metadata: { ...metadata, annotations: { [annotations.skipPreflight]: 'kubelet-unti' } },
    });
    await world.until('a new target', async () => (await target(world, 'worker')) !== before, MINUTE);
    expect(await messages('MachineConfig', '50-worker-mine', 'ConfigWarning')).toEqual([
      'metadata.annotations: millwright.dev/skip-preflight names kubelet-unti, which is no check (did you mean kubelet-unit?) (in pool worker)',
    ]);
  });

  it.each([
    ['deleted', async (name: string) => void (await world.kube.delete(machineConfigKind, { name }))],
    [
      'modified',
      async (name: string) => {
        const body = { spec: { kernelArguments: ['nosmt'] } };
        await world.kube.patch(machineConfigKind, { name }, { type: 'merge', body });
      },
    ],
  ])('a rendered config is restored when it is %s', async (_, act) => {
    await begin();
    const name = await target(world, 'worker');
    const before = await world.kube.get(machineConfigKind, { name });
    await act(name);
    await nothingMoves(MINUTE);
    const since = await world.kube.get(machineConfigKind, { name });
    expect(since?.spec).toEqual(before?.spec);
    expect(since?.metadata.ownerReferences).toEqual(before?.metadata.ownerReferences);
    expect(await target(world, 'worker')).toBe(name);
    await othersGoOn('worker');
    expect(judge.faults).toEqual([]);
  });

  it.each([
    ['deleted', async (name: string) => void (await world.kube.delete(machineConfigKind, { name }))],
    [
      'modified',
      async (name: string) => {
        const body = { spec: { kernelArguments: ['nosmt'], config: null } };
        await world.kube.patch(machineConfigKind, { name }, { type: 'merge', body });
      },
    ],
    [
      'stripped of its role',
      async (name: string) => {
        const body = { metadata: { labels: { [ROLE]: null } } };
        await world.kube.patch(machineConfigKind, { name }, { type: 'merge', body });
      },
    ],
    [
      'stripped of its owner',
      async (name: string) => {
        const body = { metadata: { ownerReferences: null } };
        await world.kube.patch(machineConfigKind, { name }, { type: 'merge', body });
      },
    ],
  ])('a base config is restored before any node is updated when it is %s', async (_, act) => {
    await begin();
    const name = '01-worker-kubelet';
    const wanted = await target(world, 'worker');
    const before = await world.kube.get(machineConfigKind, { name });
    await act(name);
    await nothingMoves();
    const since = await world.kube.get(machineConfigKind, { name });
    expect(since?.spec?.config).toEqual(before?.spec?.config);
    expect(since?.metadata.labels).toEqual(before?.metadata.labels);
    expect(since?.metadata.ownerReferences).toEqual(before?.metadata.ownerReferences);
    expect(await target(world, 'worker')).toBe(wanted);
    expect(judge.faults).toEqual([]);
  });

  it('OS images of another release are rejected until the release matches', async () => {
    await begin();
    const place = { name: 'machine-config-osimageurl', namespace: 'openshift-machine-config-operator' };
    await world.kube.create(configMapKind, {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: place },
      data: { releaseVersion: '4.98.0', osImageURL: 'registry.example/os@sha256:0' },
    });
    await nothingMoves(MINUTE);
    const uid = (await world.kube.get(configMapKind, place))?.metadata.uid;
    const { items: about } = await world.kube.list(eventKind, { namespace: place.namespace });
    expect(about.find(({ reason }) => reason === 'RenderConfigFailed')?.involvedObject?.uid).toBe(uid);
    expect(await messages('ConfigMap', place.name, 'RenderConfigFailed')).toEqual([
      expect.stringContaining(
        'could not get OS images: refusing to read osImageURL version "4.98.0", operator version "4.99.0"',
      ),
    ]);
    await othersGoOn('worker');
    const before = await target(world, 'worker');
    const body = { data: { releaseVersion: '4.99.0' } };
    await world.kube.patch(configMapKind, place, { type: 'merge', body });
    await world.until('a new target', async () => (await target(world, 'worker')) !== before, MINUTE);
    await world.untilUpdated(['worker', 'master'], HOUR);
    const rendered = await world.kube.get(machineConfigKind, { name: await target(world, 'worker') });
    expect(rendered?.spec?.osImageURL).toBe('registry.example/os@sha256:0');
    // The images of the next release come before its operator: the current image stays.
    const next = { data: { releaseVersion: '5.0.0', osImageURL: 'registry.example/os@sha256:1' } };
    await world.kube.patch(configMapKind, place, { type: 'merge', body: next });
    await nothingMoves(MINUTE);
    await othersGoOn('worker');
    const kept = await world.kube.get(machineConfigKind, { name: await target(world, 'worker') });
    expect(kept?.spec?.osImageURL).toBe('registry.example/os@sha256:0');
    expect(judge.faults).toEqual([]);
  });

  it('the list of sources of a pool is restored when it is overwritten', async () => {
    await begin();
    const before = (await world.pool('worker')).spec.configuration;
    await patchPool(world, 'worker', { configuration: { source: [{ name: 'mine' }] } });
    await nothingMoves(MINUTE);
    expect((await world.pool('worker')).spec.configuration).toEqual(before);
    expect(judge.faults).toEqual([]);
  });

  it('nodes recover from a bad configuration when it is reverted, also with maxUnavailable 1', async () => {
    const bad = { config: '' };
    await begin(
      { workers: 3 },
      { failureOnApply: (_, config) => (config === bad.config ? 'cannot write /etc/x' : undefined) },
    );
    const good = await target(world, 'worker');
    await world.apply(aMachineConfig('50-worker-motd', 'worker', 'bad'));
    await world.until('a new target', async () => (await target(world, 'worker')) !== good, 20_000);
    bad.config = await target(world, 'worker');
    await world.until(
      'the pool is degraded',
      async () => (await condition(world, 'worker', 'Degraded'))[0] === 'True',
      HOUR,
    );
    expect(await cordoned(world)).toEqual(['worker-0']);
    await nothingMoves();
    await world.kube.delete(machineConfigKind, { name: '50-worker-motd' });
    await world.until('the old target', async () => (await target(world, 'worker')) === good, MINUTE);
    await world.untilUpdated(['worker'], HOUR);
    expect(await cordoned(world)).toEqual([]);
    expect([...judge.cordons]).toEqual([['worker-0', 1]]);
    expect(judge.faults).toEqual([]);
  });

  it('a target that is written into a pool by hand breaks no node, and is corrected', async () => {
    await begin();
    const wanted = await target(world, 'worker');
    await patchPool(world, 'worker', { configuration: { name: 'rendered-worker-missing' } });
    await nothingMoves();
    expect(await target(world, 'worker')).toBe(wanted);
    for (const { metadata } of await world.nodes())
      expect(metadata.annotations?.[annotations.desiredConfig]).not.toBe('rendered-worker-missing');
    expect(judge.faults).toEqual([]);
  });
});
