/**
 * Node: a machine that runs pods.
 */
import type { ObjectOfKind } from '../meta/index.ts';
import {
  boolean,
  dateTime,
  type Infer,
  list,
  named,
  oneOf,
  required,
  string,
  struct,
} from '../schema/index.ts';
import { defineBuiltin, statusSubresource } from './builtin.ts';
import { filled, items, patched, present } from './fields.ts';
import { nodeConfigSource, nodeStatus } from './node-status.ts';
import { taintEffects } from './pods/pod-scheduling.ts';
import { nameField, selectable } from './selectable-fields.ts';

const taint = struct('core.Taint', 'Keeps pods away that do not tolerate it.', {
  key: required(string('What it is about.')),
  value: string('A value in addition to the result.'),
  effect: required(
    named('core.TaintEffect', oneOf('The effect: on new pods only, or also on running ones.', taintEffects)),
  ),
  timeAdded: dateTime('Since when it is there.'),
});
export type Taint = Infer<typeof taint>;

const spec = struct('core.NodeSpec', 'The spec of the node.', {
  unschedulable: boolean('Whether the node is cordoned: no new pods are scheduled on it.'),
  taints: items('Taints, which repel pods.', taint),
  podCIDR: string('The addresses of its pods.'),
  podCIDRs: patched(list('The same, one for each family.', string('A range.'), { list: 'set' }), {
    strategy: 'merge',
  }),
  providerID: string('The name that the cloud has for it.'),
  configSource: nodeConfigSource('Where its configuration comes from; no longer acted on.'),
  externalID: string('No longer used.'),
});
type NodeSpec = { readonly [Field in keyof Infer<typeof spec>]: Infer<typeof spec>[Field] };

export const node = defineBuiltin({
  group: '',
  kind: 'Node',
  plural: 'nodes',
  shortNames: ['no'],
  scope: 'Cluster',
  description: 'A machine that runs pods.',
  subresources: [
    statusSubresource,
    {
      name: 'proxy',
      verbs: ['create', 'delete', 'get', 'patch', 'update'],
      takes: { group: '', version: 'v1', kind: 'NodeProxyOptions' },
    },
  ],
  selectableFields: [nameField, selectable('spec.unschedulable', { absent: 'false' })],
  fields: { spec: present<NodeSpec>(spec), status: filled(nodeStatus) },
});
export type Node = ObjectOfKind<typeof node>;
