/**
 * Which message holds the objects of a kind.
 */
import { type Message, messageNamed, parseMessage } from './message.ts';

/** The message of the kind; none where the kind has no form in protobuf here. */
export function messageOfKind(apiVersion: string, kind: string): Message | undefined {
  // Clients write the options of a deletion in the version of whatever they delete.
  if (kind === 'DeleteOptions') return messageNamed(kind);
  const name = KINDS.get(`${apiVersion} ${kind}`);
  if (name !== undefined) return messageNamed(name);
  const item = kind.endsWith('List')
    ? KINDS.get(`${apiVersion} ${kind.slice(0, -'List'.length)}`)
    : undefined;
  return item === undefined ? undefined : parseMessage(kind, `1 metadata ListMeta, 2 items [${item}]!`);
}

const BY_GROUP: { readonly [apiVersion: string]: readonly string[] } = {
  v1: [
    ...['Binding', 'ConfigMap', 'Endpoints', 'Event', 'Namespace', 'Node', 'Pod', 'Secret', 'Service'],
    ...['ServiceAccount', 'Status'],
  ],
  'admissionregistration.k8s.io/v1': ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'],
  'apiextensions.k8s.io/v1': ['CustomResourceDefinition'],
  'apps/v1': ['DaemonSet', 'Deployment', 'ReplicaSet'],
  'authentication.k8s.io/v1': ['SelfSubjectReview', 'TokenRequest', 'TokenReview'],
  'authorization.k8s.io/v1': [
    ...['LocalSubjectAccessReview', 'SelfSubjectAccessReview', 'SelfSubjectRulesReview'],
    'SubjectAccessReview',
  ],
  'autoscaling/v1': ['Scale'],
  'batch/v1': ['Job'],
  'coordination.k8s.io/v1': ['Lease'],
  'meta.k8s.io/v1': ['PartialObjectMetadata'],
  'policy/v1': ['Eviction', 'PodDisruptionBudget'],
  'rbac.authorization.k8s.io/v1': ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
};

/** From `apiVersion kind` to the name of the message. Two groups have events, and two messages for them. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(BY_GROUP).flatMap(([apiVersion, kinds]) =>
    kinds.map((kind): [string, string] => [`${apiVersion} ${kind}`, kind]),
  ),
  ['events.k8s.io/v1 Event', 'events.Event'],
]);
