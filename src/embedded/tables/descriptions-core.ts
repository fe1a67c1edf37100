/**
 * Column descriptions of core kinds, as in kube-apiserver.
 */
import type { ColumnDescriptions } from './printer.ts';

export const NAMESPACE: ColumnDescriptions = {
  Status: ['The status of the namespace'],
};

export const CONFIG_MAP: ColumnDescriptions = {
  Data: [
    "Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_'",
    "or '.'. Values with non-UTF-8 byte sequences must use the BinaryData field. The keys stored in",
    'Data must not overlap with the keys in the BinaryData field, this is enforced during validation',
    'process.',
  ],
};

export const SECRET: ColumnDescriptions = {
  Type: [
    'Used to facilitate programmatic handling of secret data. More info:',
    'https://kubernetes.io/docs/concepts/configuration/secret/#secret-types',
  ],
  Data: [
    "Data contains the secret data. Each key must consist of alphanumeric characters, '-', '_' or '.'.",
    'The serialized form of the secret data is a base64 encoded string, representing the arbitrary',
    '(possibly non-string) data value here. Described in https://tools.ietf.org/html/rfc4648#section-4',
  ],
};

export const SERVICE_ACCOUNT: ColumnDescriptions = {
  Secrets: [
    'Secrets is a list of the secrets in the same namespace that pods running using this ServiceAccount',
    'are allowed to use. Pods are only limited to this list if this service account has a',
    '"kubernetes.io/enforce-mountable-secrets" annotation set to "true". The',
    '"kubernetes.io/enforce-mountable-secrets" annotation is deprecated since v1.32. Prefer separate',
    'namespaces to isolate access to mounted secrets. This field should not be used to find',
    'auto-generated service account token secrets for use outside of pods. Instead, tokens can be',
    'requested directly using the TokenRequest API, or service account token secrets can be manually',
    'created. More info: https://kubernetes.io/docs/concepts/configuration/secret',
  ],
};

export const EVENT: ColumnDescriptions = {
  'Last Seen': ['The time at which the most recent occurrence of this event was recorded.'],
  Type: ['Type of this event (Normal, Warning), new types could be added in the future'],
  Reason: [
    'This should be a short, machine understandable string that gives the reason for the transition',
    "into the object's current status.",
  ],
  Object: ['The object that this event is about.'],
  Subobject: [
    'If referring to a piece of an object instead of an entire object, this string should contain a',
    'valid JSON/Go field access statement, such as desiredState.manifest.containers[2]. For example, if',
    'the object reference is to a container within a pod, this would take on a value like:',
    '"spec.containers{name}" (where "name" refers to the name of the container that triggered the',
    'event) or if no container name is specified "spec.containers[2]" (container with index 2 in this',
    'pod). This syntax is chosen only to have some well-defined way of referencing a part of an object.',
  ],
  Source: ['The component reporting this event. Should be a short machine understandable string.'],
  Message: ['A human-readable description of the status of this operation.'],
  'First Seen': ['The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)'],
  Count: ['The number of times this event has occurred.'],
};
