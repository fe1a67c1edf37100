/** MachineConfiguration `cluster`: the policies in the spec, and those in force in the status. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  defaultDisruptionPolicies,
  type MachineConfiguration,
  machineConfiguration as machineConfigurationKind,
} from '../../src/api/index.ts';
import type { World } from './build-world.ts';
import { startWorld } from './world.ts';

const PLACE = { name: 'cluster' };
let world: World;
beforeAll(async () => {
  world = await startWorld({ masters: 1, workers: 1 });
  await world.startControllers();
  await world.until('it is made', async () => (await found())?.status !== undefined, 60_000);
});
afterAll(() => world.stop());

const found = () => world.kube.get(machineConfigurationKind, PLACE);

async function settings(): Promise<MachineConfiguration> {
  const object = await found();
  if (object === undefined) throw new Error('MachineConfiguration cluster is missing');
  return object;
}

/** Sets the policy and returns the reconciled object. */
async function state(nodeDisruptionPolicy: object | null): Promise<MachineConfiguration> {
  const patch = { type: 'merge', body: { spec: { nodeDisruptionPolicy } } } as const;
  await world.kube.patch(machineConfigurationKind, PLACE, patch);
  await world.env.clock.advance(1_000);
  return settings();
}

const inForce = ({ status }: MachineConfiguration) => status?.nodeDisruptionPolicyStatus?.clusterPolicies;

describe('an invalid policy is refused', () => {
  const restart = { type: 'Restart', restart: { serviceName: 'a.service' } };

  // biome-ignore format: a table.
  it.each<[string, object, string]>([
    ['a reboot among others', { files: [{ path: '/a', actions: [{ type: 'Reboot' }, restart] }] }, 'Reboot action can only be specified standalone, as it will override any other actions'],
    ['nothing among others', { sshkey: { actions: [{ type: 'None' }, { type: 'Drain' }] } }, 'None action can only be specified standalone, as it will override any other actions'],
    ['a reload of nothing', { files: [{ path: '/a', actions: [{ type: 'Reload' }] }] }, 'reload is required when type is Reload, and forbidden otherwise'],
    ['a restart beside a drain', { files: [{ path: '/a', actions: [{ ...restart, type: 'Drain' }] }] }, 'restart is required when type is Restart, and forbidden otherwise'],
    ['an action of our own', { files: [{ path: '/a', actions: [{ type: 'Special' }] }] }, 'Unsupported value: "Special"'],
    ['a unit that is none', { units: [{ name: 'a', actions: [{ type: 'None' }] }] }, `Invalid \${SERVICETYPE} in service name.`],
    ['the same file twice', { files: [{ path: '/a', actions: [{ type: 'None' }] }, { path: '/a', actions: [] }] }, 'Duplicate value'],
  ])('%s', async (_, policy, message) => {
    const before = inForce(await settings());
    await expect(state(policy)).rejects.toThrow(message);
    expect(inForce(await settings())).toEqual(before);
  });

  it('refuses a MachineConfiguration of another name', async () => {
    const metadata = { name: 'mine' };
    const object = {
      apiVersion: 'operator.openshift.io/v1',
      kind: 'MachineConfiguration',
      metadata,
      spec: {},
    };
    await expect(world.kube.create(machineConfigurationKind, object)).rejects.toThrow(
      'Only a single object of MachineConfiguration is allowed and it must be named cluster.',
    );
  });
});

describe('the policies in force', () => {
  it('are the defaults without a spec; the object is created, and recreated', async () => {
    const { spec, metadata, status } = await state(null);
    expect(spec).toMatchObject({
      managementState: 'Managed',
      logLevel: 'Normal',
      operatorLogLevel: 'Normal',
    });
    expect(inForce(await settings())).toEqual(defaultDisruptionPolicies);
    expect(status?.observedGeneration).toBe(metadata.generation);
    await world.kube.delete(machineConfigurationKind, PLACE);
    await world.env.clock.advance(1_000);
    expect(inForce(await settings())).toEqual(defaultDisruptionPolicies);
  });

  it('replace defaults by those of the spec, and append new ones', async () => {
    const none = [{ type: 'None' }];
    const object = await state({
      files: [
        { path: '/etc/mine', actions: none },
        { path: '/etc/containers/registries.conf', actions: [{ type: 'Drain' }] },
      ],
      units: [{ name: 'mine.service', actions: none }],
      sshkey: { actions: [{ type: 'Reboot' }] },
    });
    const { files = [], units = [], sshkey } = inForce(object) ?? {};
    expect(files.map(({ path }) => path)).toEqual([
      ...defaultDisruptionPolicies.files.map(({ path }) => path),
      '/etc/mine',
    ]);
    expect(files[3]).toEqual({ path: '/etc/containers/registries.conf', actions: [{ type: 'Drain' }] });
    expect(units.map(({ name }) => name)).toEqual(['iri-registry.service', 'mine.service']);
    expect(sshkey).toEqual({ actions: [{ type: 'Reboot' }] });
    expect(object.status?.observedGeneration).toBe(object.metadata.generation);
  });

  it('fall back to the default for SSH keys without actions, and when the policy is removed', async () => {
    expect(inForce(await state({ sshkey: { actions: [] } }))?.sshkey).toEqual({
      actions: [{ type: 'None' }],
    });
    expect(inForce(await state(null))).toEqual(defaultDisruptionPolicies);
  });

  it('keep other fields of the status, and are restored when modified', async () => {
    const condition = {
      ...{ type: 'BootImageUpdateProgressing', status: 'False', reason: 'NA', message: '' },
      lastTransitionTime: '2025-05-22T12:00:00Z',
    };
    const clusterPolicies = { files: [] };
    const body = { status: { conditions: [condition], nodeDisruptionPolicyStatus: { clusterPolicies } } };
    await world.kube.patch(
      machineConfigurationKind,
      PLACE,
      { type: 'merge', body },
      { subresource: 'status' },
    );
    await world.env.clock.advance(1_000);
    expect(inForce(await settings())).toEqual(defaultDisruptionPolicies);
    expect((await settings()).status?.conditions).toEqual([condition]);
  });
});
