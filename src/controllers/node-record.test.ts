import { describe, expect, it } from 'vitest';
import { annotations, type MachineConfigNode } from '../api/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { isRecordStale, recordOfNode, recordOfTarget } from './node-record.ts';

const node = (desired: { readonly [key: string]: string }): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'worker-0', annotations: desired },
  spec: {},
});
const machineConfigNode = (spec: Partial<MachineConfigNode['spec']>): MachineConfigNode => ({
  apiVersion: 'machineconfiguration.openshift.io/v1',
  kind: 'MachineConfigNode',
  metadata: { name: 'worker-0' },
  spec: {
    node: { name: 'worker-0' },
    pool: { name: 'worker' },
    configVersion: { desired: 'not-yet-set' },
    ...spec,
  },
});
const [config, image] = [annotations.desiredConfig, annotations.desiredImage];
const record = (desired: string, desiredImage?: string) => ({
  configVersion: { desired },
  configImage: desiredImage === undefined ? null : { desiredImage },
});

const [ON, OFF] = [{ isImageModeReported: true }, { isImageModeReported: false }];

describe('the desired config in the spec of a MachineConfigNode', () => {
  it.each([
    ['a config', { config: 'r-1' }, record('r-1')],
    ['an image', { config: 'r-1', layered: { config: 'r-0', image: 'i@1' } }, record('r-0', 'i@1')],
    ['an empty image', { config: 'r-1', layered: { config: 'r-0', image: '' } }, record('r-0')],
  ])('follows from the target: %s', (_, target, expected) => {
    expect(recordOfTarget(target, ON)).toEqual(expected);
  });

  it.each([
    ['nothing without annotations', {}, undefined],
    ['the config', { [config]: 'r-1' }, record('r-1')],
    ['config and image', { [config]: 'r-1', [image]: 'i@1' }, record('r-1', 'i@1')],
  ])('follows from the node: %s', (_, desired, expected) => {
    expect(recordOfNode(node(desired), ON)).toEqual(expected);
  });

  it.each([
    ['a node without annotations', {}, {}, false],
    ['a config that it does not have yet', { [config]: 'r-1' }, {}, true],
    ['the same config', { [config]: 'r-1' }, { configVersion: { desired: 'r-1' } }, false],
    ['an image that it does not have', { [config]: 'r-1', [image]: 'i@1' }, record('r-1'), true],
    ['an image that is no longer desired', { [config]: 'r-1' }, record('r-1', 'i@1'), true],
  ])('is compared with %s: %#', (_, desired, given, expected) => {
    const { configImage, ...spec } = { configImage: null, ...given };
    const present = configImage === null ? spec : { ...spec, configImage };
    expect(isRecordStale(node(desired), machineConfigNode(present), ON)).toBe(expected);
  });

  it('has no image without the feature gate ImageModeStatusReporting', () => {
    const desired = { [config]: 'r-1', [image]: 'i@1' };
    expect(recordOfNode(node(desired), OFF)).toEqual(record('r-1'));
    expect(recordOfTarget({ config: 'r-1', layered: { config: 'r-1', image: 'i@1' } }, OFF)).toEqual(
      record('r-1'),
    );
    const before = { configVersion: { desired: 'r-1' } };
    expect(isRecordStale(node(desired), machineConfigNode(before), OFF)).toBe(false);
    // One that was written while the gate was on is removed.
    const withImage = machineConfigNode({ ...before, configImage: { desiredImage: 'i@1' } });
    expect(isRecordStale(node(desired), withImage, OFF)).toBe(true);
  });
});
