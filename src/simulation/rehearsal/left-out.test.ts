import { describe, expect, it } from 'vitest';
import { clusterSnapshot, type SnapshotObject } from '../../insight/index.ts';
import { isLeftOut, leftOutOf } from './left-out.ts';

const GROUP = 'machineconfiguration.openshift.io';

const anObject = (kind: string, name: string, spec: object = {}): SnapshotObject =>
  ({ apiVersion: `${GROUP}/v1`, kind, metadata: { name }, spec }) as SnapshotObject;
const osConfig = (tag: string) =>
  anObject('MachineOSConfig', 'infra', {
    machineConfigPool: { name: 'infra' },
    renderedImagePushSpec: `registry.example/os:${tag}`,
  });
const snapshot = (...objects: readonly SnapshotObject[]) => clusterSnapshot({ nowMs: 0, objects, kinds: [] });

describe('what is left out of a rehearsal', () => {
  it('is the build of a MachineOSConfig that a change creates, changes or deletes, and the reboot into its image', () => {
    const before = snapshot(osConfig('1'));
    const deletion = { group: GROUP, kind: 'MachineOSConfig', name: 'infra' };
    const built =
      'the build of the image of pool infra, and the update of its nodes to that image, with a reboot';
    const cases = [
      leftOutOf(snapshot(), { applied: [osConfig('1')], deleted: [] }),
      leftOutOf(before, { applied: [osConfig('2')], deleted: [] }),
      leftOutOf(before, { applied: [], deleted: [deletion] }),
    ];
    expect(cases).toEqual([
      [{ object: 'MachineOSConfig/infra', consequence: built }],
      [{ object: 'MachineOSConfig/infra', consequence: built }],
      [
        {
          object: 'MachineOSConfig/infra',
          consequence: expect.stringContaining('back to an image without a build'),
        },
      ],
    ]);
  });

  it('is nothing where such an object stays as it is, and never a config', () => {
    const change = { applied: [osConfig('1'), anObject('MachineConfig', '50-motd')], deleted: [] };
    expect(leftOutOf(snapshot(osConfig('1')), change)).toEqual([]);
    expect(isLeftOut(anObject('MachineConfig', '50-motd'))).toBe(false);
  });

  it('are the images of a PinnedImageSet', () => {
    const change = { applied: [anObject('PinnedImageSet', 'shop')], deleted: [] };
    expect(leftOutOf(snapshot(), change)).toEqual([
      { object: 'PinnedImageSet/shop', consequence: 'nodes pull and pin its images' },
    ]);
  });
});
