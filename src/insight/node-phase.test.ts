/** The phase that a node is in, where its objects can be read in more than one way. */
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

/** Conditions as `Type=Status`. */
function recordOf(text: string): MachineConfigNode {
  const conditions = text.split(' ').map((one) => {
    const [type = '', status = ''] = one.split('=');
    return { type, status: status as 'True', reason: type, message: '', lastTransitionTime: '' };
  });
  return { ...record('', ''), status: { conditions } };
}

// The daemon writes its request first, and the condition Resumed afterwards.
it.each([
  ['has rebooted', 'Updated=False RebootedNode=True', 'drain-v1', 'drain-v1', 'resuming'],
  ['asks', 'Updated=False RebootedNode=True', 'uncordon-v1', 'drain-v1', 'uncordoning'],
  ['is answered', 'Updated=False RebootedNode=True', 'uncordon-v1', 'uncordon-v1', 'uncordoning'],
  ['was answered before', 'Updated=False RebootedNode=True', 'uncordon-v0', 'uncordon-v0', 'resuming'],
  ['joins', 'Updated=False', '', '', 'preparing'],
  ['joins and is answered', 'Updated=False', 'uncordon-v1', 'uncordon-v1', 'uncordoning'],
  ['begins again', 'Updated=False UpdatePrepared=Unknown', 'uncordon-v1', 'uncordon-v1', 'preparing'],
])('a node that %s (%s, %s, %s) is %s', (_, conditions, request, answer, phase) => {
  const marks = {
    ...node.metadata.annotations,
    [annotations.desiredConfig]: 'v1',
    [annotations.desiredDrain]: request,
    [annotations.lastAppliedDrain]: answer,
  };
  const given = { ...node, metadata: { ...node.metadata, annotations: marks } };
  expect(phaseOf(given, recordOf(conditions)).phase).toBe(phase);
});
