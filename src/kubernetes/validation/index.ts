/**
 * Validation of objects against structural schemas.
 *
 * `validate` gives the errors of kube-apiserver: the same paths, the same messages, all errors at once. It accepts any
 * structural schema, also of third-party CRDs. `applyDefaults` and `prune` are the other two operations of a server on a
 * schema, and `findField` resolves a field path in a definition.
 *
 * Start with `validate.ts`; `structural-check.ts` and `rules.ts` are its two halves. The language of the rules is
 * implemented in `cel`.
 *
 * Not here: the meaning of a valid object. The daemon does not use this module and must not load it: the CEL engine
 * costs memory on every node.
 */
export { applyDefaults } from './defaults.ts';
export { holdsResources } from './embedded-resources.ts';
export { findField } from './field-path.ts';
export { prune } from './prune.ts';
export { validate, validateDefault, validateStatus } from './validate.ts';
