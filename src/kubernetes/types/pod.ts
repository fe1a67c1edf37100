/**
 * Pod: containers that run together on one node.
 */
import type { ObjectOfKind } from '../meta/index.ts';
import { binding } from './binding.ts';
import { defineBuiltin, type KindName, statusSubresource, type Verb } from './builtin.ts';
import { eviction } from './eviction.ts';
import { filled, present } from './fields.ts';
import { podSpec } from './pods/pod-spec.ts';
import { podStatus } from './pods/pod-status.ts';
import { metadataFields, selectable } from './selectable-fields.ts';

/** The first address, in the field of older versions. */
const address = {
  places: [
    ['status', 'podIPs', 0, 'ip'],
    ['status', 'podIP'],
  ],
};

const options = (kind: string): KindName => ({ group: '', version: 'v1', kind });
const streams: readonly Verb[] = ['create', 'get'];

export const pod = defineBuiltin({
  group: '',
  kind: 'Pod',
  plural: 'pods',
  shortNames: ['po'],
  categories: ['all'],
  description: 'Containers that run together on one node.',
  subresources: [
    statusSubresource,
    { name: 'binding', verbs: ['create'], takes: binding },
    { name: 'eviction', verbs: ['create'], takes: eviction },
    { name: 'ephemeralcontainers', verbs: ['get', 'patch', 'update'] },
    { name: 'resize', verbs: ['get', 'patch', 'update'] },
    { name: 'log', verbs: ['get'] },
    { name: 'attach', verbs: streams, takes: options('PodAttachOptions') },
    { name: 'exec', verbs: streams, takes: options('PodExecOptions') },
    { name: 'portforward', verbs: streams, takes: options('PodPortForwardOptions') },
    {
      name: 'proxy',
      verbs: ['create', 'delete', 'get', 'patch', 'update'],
      takes: options('PodProxyOptions'),
    },
  ],
  selectableFields: [
    ...metadataFields,
    selectable('spec.nodeName'),
    // The name of the field in the first clients.
    selectable('spec.host', { places: [['spec', 'nodeName']] }),
    selectable('spec.restartPolicy'),
    selectable('spec.schedulerName'),
    selectable('spec.serviceAccountName'),
    selectable('spec.hostNetwork', { absent: 'false' }),
    selectable('status.phase'),
    selectable('status.podIP', address),
    selectable('status.podIPs', address),
    selectable('status.nominatedNodeName'),
  ],
  fields: { spec: present(podSpec), status: filled(podStatus) },
});
export type Pod = ObjectOfKind<typeof pod>;
