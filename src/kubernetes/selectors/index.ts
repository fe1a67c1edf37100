/**
 * Selectors in the query of a request: `labelSelector=tier in (front,back),!old` and
 * `fieldSelector=spec.nodeName=worker-0`.
 *
 * A selector is parsed once and matched against many objects. Error messages are those of kube-apiserver, as its
 * Status contains them.
 *
 * Not here: selectors that are objects in a spec (`matchesSelector` of `kubernetes/meta`), and the fields that each
 * kind allows (`selectableFields` of `kubernetes/types`).
 */
export { type FieldSelector, parseFieldSelector } from './field-selector.ts';
export { parseLabelSelector } from './label-selector.ts';
export { matchesLabels } from './match-labels.ts';
