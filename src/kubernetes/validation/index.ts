/**
 * Does an object fit its schema?
 *
 * `validate` answers as kube-apiserver would: the same paths, the same texts, every problem at once. It
 * works on any structural schema, ours or a foreign CRD's. `applyDefaults` and `prune` are the other two
 * things that a server does with a schema, and `findField` finds what a path in a definition means.
 *
 * Start with `validate.ts`; `structural-check.ts` and `rules.ts` are its two halves. The language of the rules is
 * a module of its own (`cel`).
 *
 * Not here: what a valid object means. The daemon does not need this module and must not load it: the CEL
 * engine costs memory on every node.
 */
export { applyDefaults } from './defaults.ts';
export { findField } from './field-path.ts';
export { prune } from './prune.ts';
export { validate, validateDefault, validateStatus } from './validate.ts';
