/**
 * Selectors as clients write them in a URL: `labelSelector=tier in (front,back),!old` and
 * `fieldSelector=spec.nodeName=worker-0`.
 *
 * A text is parsed once and then held against many objects. What is wrong with it is said in the words of
 * kube-apiserver: the message of a problem is the message of the Status.
 *
 * Not here: selectors that are objects in a spec (`matchesSelector` of `api`), and the fields that each kind
 * allows (`selectableFields` of `builtin`).
 */
export { type FieldSelector, parseFieldSelector } from './field-selector.ts';
export { parseLabelSelector } from './label-selector.ts';
export { matchesLabels } from './match-labels.ts';
