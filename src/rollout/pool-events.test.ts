import { describe, expect, it } from 'vitest';
import { aPool } from '../../test/support/build.ts';
import { annotations, type MachineConfigPoolStatus } from '../api/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import {
  annotationEvents,
  conflictEvent,
  deferralEvent,
  degradedEvents,
  selectingAllEvent,
  specEvent,
  statusEvents,
  targetingEvent,
} from './pool-events.ts';

const layered = { config: 'v1', layered: { config: 'v1', image: 'i' } };

describe('targetingEvent', () => {
  it.each([
    [['n'], { config: 'v1' }, 'SetDesiredConfig', 'Targeted node n to MachineConfig: v1'],
    [['n', 'm'], { config: 'v1' }, 'SetDesiredConfig', 'Set target for 2 nodes to MachineConfig: v1'],
    [['n'], layered, 'SetDesiredConfigAndOSImage', 'Targeted node n to MachineConfig: v1 / Image: i'],
    [
      ['n', 'm'],
      layered,
      'SetDesiredConfigAndOSImage',
      'Set target for 2 nodes to MachineConfig: v1 / Image: i',
    ],
  ])('targeting %j to %j is one event', (nodes, target, reason, message) => {
    expect(targetingEvent(nodes, target)).toEqual({ type: 'Normal', reason, message });
  });
});

describe('annotationEvents', () => {
  const aNode = (given: { readonly [key: string]: string }): Node => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', annotations: given },
    spec: {},
  });
  const { currentConfig, desiredConfig, state, reason, desiredDrain } = annotations;
  const done = { [currentConfig]: 'v1', [desiredConfig]: 'v1', [state]: 'Done' };
  const messages = (before: Node, after: Node) =>
    annotationEvents(before, after).map(({ message }) => message);

  it('reports annotations that are changed, added and removed', () => {
    expect(messages(aNode(done), aNode({ ...done, [desiredConfig]: 'v2' }))).toEqual([
      `Node n now has ${desiredConfig}=v2`,
    ]);
    expect(messages(aNode({}), aNode({ [reason]: 'x' }))).toEqual([`Node n now has ${reason}=x`]);
    expect(messages(aNode({ [reason]: 'x' }), aNode({}))).toEqual([`Node n no longer has ${reason}`]);
  });

  it('takes an empty annotation for none', () => {
    expect(messages(aNode({}), aNode({ [reason]: '' }))).toEqual([]);
    expect(messages(aNode({ [reason]: '' }), aNode({}))).toEqual([]);
    expect(messages(aNode({ [reason]: 'x' }), aNode({ [reason]: '' }))).toEqual([
      `Node n no longer has ${reason}`,
    ]);
  });

  it('ignores other and unchanged annotations', () => {
    expect(messages(aNode(done), aNode({ ...done, [desiredDrain]: 'drain-v2' }))).toEqual([]);
  });

  it('ignores the end of an update', () => {
    expect(messages(aNode({ ...done, [currentConfig]: 'v0', [state]: 'Working' }), aNode(done))).toEqual([]);
  });
});

describe('a new status', () => {
  const updating = { type: 'Updating', status: 'True' };
  const status = (config: string | undefined, isUpdating: boolean): MachineConfigPoolStatus => ({
    ...(config === undefined ? {} : { configuration: { name: config } }),
    conditions: isUpdating ? [updating] : [],
  });
  const poolWith = (before: MachineConfigPoolStatus) => ({
    ...aPool('worker', { configuration: { name: 'v1' } }),
    status: before,
  });

  it.each<[string, MachineConfigPoolStatus, MachineConfigPoolStatus, readonly string[]]>([
    [
      'completes an update',
      status('v0', true),
      status('v1', false),
      ['Completed: Pool worker has completed update to MachineConfig v1'],
    ],
    [
      'is the first one',
      status(undefined, false),
      status('v1', false),
      ['Completed: Pool worker has completed update to MachineConfig v1'],
    ],
    [
      'begins an update',
      status('v0', false),
      status('v0', true),
      ['Updating: Pool worker now targeting MachineConfig v1'],
    ],
    ['continues an update', status('v0', true), status('v0', true), []],
    ['changes nothing', status('v1', false), status('v1', false), []],
    ['only has a node cordoned', status('v1', false), status('v1', true), []],
    ['is of a pool without nodes', status(undefined, false), { ...status('v1', false), machineCount: 0 }, []],
  ])('that %s', (_, before, after, expected) => {
    expect(
      statusEvents(poolWith(before), after, { config: 'v1' }).map(
        ({ reason, message }) => `${reason}: ${message}`,
      ),
    ).toEqual(expected);
  });

  it('names the image of a pool that builds one', () => {
    const target = { config: 'v1', layered: { config: 'v1', image: 'i@sha256:1' } };
    const line = 'MachineConfig v1 / Image i@sha256:1';
    expect(statusEvents(poolWith(status('v0', true)), status('v1', false), target)).toMatchObject([
      { message: `Pool worker has completed update to ${line}` },
    ]);
    expect(statusEvents(poolWith(status('v0', false)), status('v0', true), target)).toMatchObject([
      { message: `Pool worker now targeting ${line}` },
    ]);
  });
});

it('mistakes in the spec and in labels are warning events', () => {
  expect(selectingAllEvent).toEqual({
    type: 'Warning',
    reason: 'SelectingAll',
    message: 'This machineconfigpool is selecting all nodes. A non-empty selector is required.',
  });
  expect(specEvent({ path: 'spec.maxUnavailable', message: 'no' })).toEqual({
    type: 'Warning',
    reason: 'InvalidSpec',
    message: 'spec.maxUnavailable: no',
    isAdditional: true,
  });
  expect(conflictEvent('two').type).toBe('Warning');
});

it('the node of the operator is named when it waits', () => {
  expect(deferralEvent('n')).toEqual({
    type: 'Normal',
    reason: 'DeferringOperatorNodeUpdate',
    message: 'Deferring update of machine config operator node n',
  });
});

describe('nodes that become degraded', () => {
  const status = (count: number): MachineConfigPoolStatus => ({
    degradedMachineCount: count,
    machineCount: 9,
  });
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const messages = (before: number, degraded: readonly string[]) =>
    degradedEvents({ ...aPool('worker'), status: status(before) }, status(degraded.length), degraded).map(
      ({ message }) => message,
    );

  it('have an event of the pool that names the MachineConfigNode to look at', () => {
    expect(messages(0, ['worker-1'])).toEqual([
      'Node worker-1 is degraded: look at MachineConfigNode worker-1 (kubectl describe mcn worker-1)',
    ]);
    expect(messages(1, ['a', 'b'])).toEqual([
      '2 nodes are degraded: look at MachineConfigNodes a, b (kubectl describe mcn a b)',
    ]);
    expect(messages(0, names)).toEqual([
      '7 nodes are degraded: look at MachineConfigNodes a, b, c, d, e and 2 more (kubectl describe mcn a b c d e)',
    ]);
  });

  it('have none while their number stays or falls', () => {
    expect([messages(1, ['a']), messages(3, ['a', 'b']), messages(1, [])]).toEqual([[], [], []]);
  });
});
