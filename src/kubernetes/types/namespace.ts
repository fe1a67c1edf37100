/**
 * Namespace: a scope for names.
 */
import type { ObjectOfKind } from '../meta/index.ts';
import { named, oneOf, string, struct } from '../schema/index.ts';
import { defineBuiltin, statusSubresource } from './builtin.ts';
import { legacyCondition } from './conditions.ts';
import { filled, items, keyed } from './fields.ts';
import { nameField, selectable } from './selectable-fields.ts';

const spec = struct('core.NamespaceSpec', 'The spec of the namespace.', {
  finalizers: items(
    'Finalizers that must complete before it is removed; changed through finalize only.',
    named('core.FinalizerName', string('Who.')),
  ),
});

const status = struct('core.NamespaceStatus', 'The status of the namespace.', {
  phase: named('core.NamespacePhase', oneOf('Whether it is being emptied.', ['Active', 'Terminating'])),
  conditions: keyed('Conditions that block its termination.', legacyCondition('core.NamespaceCondition'), [
    'type',
  ]),
});

export const namespace = defineBuiltin({
  group: '',
  kind: 'Namespace',
  plural: 'namespaces',
  shortNames: ['ns'],
  scope: 'Cluster',
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  description: 'A scope for names: names are unique within it, and its objects are deleted with it.',
  subresources: [statusSubresource, { name: 'finalize', verbs: ['update'] }],
  selectableFields: [nameField, selectable('status.phase')],
  fields: { spec: filled(spec), status: filled(status) },
});
export type Namespace = ObjectOfKind<typeof namespace>;
