/**
 * What all kinds have in common: their names in the API, the metadata of their objects, and the formats of names.
 *
 *     defineKind         a kind as one value: schema, columns, names; `crdOf` gives its CustomResourceDefinition
 *     ObjectMeta         the metadata of every object
 *     nameOf, conditionOf …  metadata and conditions of objects that have not been validated
 *     checkDnsLabel …    the formats of names, with the messages of kube-apiserver
 *
 * Not here: any particular kind (`kubernetes/types`, `api`).
 *
 * Start with `kind.ts`.
 */
export { controllerReference } from './controller-reference.ts';
export { type CustomResourceDefinition, crdName, crdOf } from './crd.ts';
export {
  type AnyKind,
  apiVersionOf,
  defineKind,
  defineKindWithOptionalSpec,
  type ObjectOfKind,
  typeFields,
} from './kind.ts';
export {
  formatSelector,
  isEmptySelector,
  type Labels,
  matchesSelector,
  selectorProblems,
} from './label-selector.ts';
export { metadataProblems } from './metadata-problems.ts';
export {
  asPrefix,
  checkDns1035Label,
  checkDnsLabel,
  checkDnsSubdomain,
  checkLabelValue,
  checkQualifiedName,
} from './names.ts';
export {
  annotationOf,
  conditionOf,
  conditionsOf,
  hasTrueCondition,
  labelOf,
  labelsOf,
  nameOf,
  namespaceOf,
} from './object-fields.ts';
export type { ObjectMeta, OwnerReference } from './object-meta.ts';
export {
  ageColumn,
  type Condition,
  conditionColumn,
  conditions,
  type LabelSelector,
  type LegacyCondition,
  labelSelector,
  legacyConditions,
  type ObjectReference,
  objectReference,
  objectReferenceFields,
} from './shapes.ts';
