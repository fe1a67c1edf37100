/** The phase that a node is in while its OS image is fetched: before the drain, and not yet applying. */
import { expect, it } from 'vitest';
import { annotations, type MachineConfigNode } from '../api/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { phaseOf } from './node-phase.ts';

const node: Node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'a', annotations: { [annotations.currentConfig]: 'v0' } },
  spec: {},
};

function record(type: string, message: string): MachineConfigNode {
  const since = '2026-01-01T00:00:00Z';
  const conditions = [
    ['Updated', 'False', ''],
    ['UpdatePrepared', 'True', ''],
    [type, 'Unknown', message],
  ].map(([kind = '', status = '', text = '']) => ({
    type: kind,
    status: status as 'True' | 'False' | 'Unknown',
    reason: kind,
    message: text,
    lastTransitionTime: since,
  }));
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfigNode',
    metadata: { name: 'a' },
    spec: { node: { name: 'a' }, pool: { name: 'worker' }, configVersion: { desired: 'v1' } },
    status: { conditions },
  };
}

it.each([
  ['AppliedFilesAndOS', 'Fetching OS image x while the node still serves. …', 'pulling-image'],
  ['AppliedOSImage', 'Fetching OS image x while the node still serves. …', 'pulling-image'],
  ['AppliedFilesAndOS', 'Applying files and new OS config to node. …', 'applying-files-and-os'],
  ['AppliedOSImage', 'Applying new OS config to node.', 'applying-os'],
])('a node whose %s is Unknown with "%s" is %s', (type, message, phase) => {
  expect(phaseOf(node, record(type, message))).toMatchObject({ phase, since: '2026-01-01T00:00:00Z' });
});
