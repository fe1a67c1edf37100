/**
 * Warnings on the creation of pods and pod templates.
 */

import type { JsonObject } from '../../../base/json.ts';
import { numberAt, objectAt, objectsAt, stringAt, stringMapAt, valueAt } from '../../../base/json-fields.ts';
import { quoted, wholeNumber } from '../../../base/text/index.ts';
import { checkDnsLabel } from '../../../kubernetes/meta/index.ts';
import { podAnnotationWarnings } from './pod-annotations.ts';
import { quantityOf } from './resource-problems.ts';

/** Updates of pods come from controllers, which get no warnings. */
export function podWarnings(pod: JsonObject, old: JsonObject | undefined): readonly string[] {
  if (old !== undefined) return [];
  const texts = checkDnsLabel(stringAt(pod, 'metadata', 'name'));
  const hostname = `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${texts.join(' ')}]`;
  const spec = objectAt(pod, 'spec') ?? {};
  const annotations = stringMapAt(pod, 'metadata', 'annotations');
  return [
    ...(texts.length === 0 ? [] : [hostname]),
    ...podSpecWarnings(spec, 'spec'),
    ...podAnnotationWarnings(annotations, spec, 'metadata.annotations'),
  ];
}

/** Warnings for a template at the path. */
export function podTemplateWarnings(template: JsonObject | undefined, path: string): readonly string[] {
  const spec = objectAt(template, 'spec') ?? {};
  const annotations = stringMapAt(template, 'metadata', 'annotations');
  return [
    ...podSpecWarnings(spec, `${path}.spec`),
    ...podAnnotationWarnings(annotations, spec, `${path}.metadata.annotations`),
  ];
}

/** Warnings for a spec, of a pod or a template. */
function podSpecWarnings(spec: JsonObject, path: string): readonly string[] {
  return [
    ...nodeSelectorWarnings(spec, path),
    ...spreadWarnings(spec, path),
    ...addressWarnings(spec, path),
    ...secretWarnings(spec, path),
    ...volumeWarnings(spec, path),
    ...['initContainers', 'containers'].flatMap((kind) =>
      objectsAt(spec, kind).flatMap((container, index) => [
        ...environmentWarnings(container, `${path}.${kind}[${index}].env`),
        ...fractionWarnings(container, `${path}.${kind}[${index}].resources`),
      ]),
    ),
    ...portWarnings(spec, path),
    ...(numberAt(spec, 'terminationGracePeriodSeconds') < 0
      ? [
          `${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
        ]
      : []),
  ];
}

const DEPRECATED_LABELS: ReadonlyMap<string, string> = new Map([
  ['beta.kubernetes.io/arch', 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ['beta.kubernetes.io/os', 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  [
    'failure-domain.beta.kubernetes.io/region',
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  ],
  [
    'failure-domain.beta.kubernetes.io/zone',
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  ],
  [
    'beta.kubernetes.io/instance-type',
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  ],
]);

function nodeSelectorWarnings(spec: JsonObject, path: string): readonly string[] {
  return Object.keys(objectAt(spec, 'nodeSelector') ?? {})
    .sort()
    .flatMap((label) => {
      const text = DEPRECATED_LABELS.get(label);
      return text === undefined ? [] : [`${path}.nodeSelector[${label}]: ${text}`];
    });
}

/** A constraint without a selector counts no pods and has no effect. */
function spreadWarnings(spec: JsonObject, path: string): readonly string[] {
  return objectsAt(spec, 'topologySpreadConstraints').flatMap((constraint, index) =>
    objectAt(constraint, 'labelSelector') === undefined
      ? [
          `${path}.topologySpreadConstraints[${index}].labelSelector: a null labelSelector results in matching no pod`,
        ]
      : [],
  );
}

function addressWarnings(spec: JsonObject, path: string): readonly string[] {
  const seen = new Set<string>();
  return objectsAt(spec, 'hostAliases').flatMap((alias, index) => {
    const address = stringAt(alias, 'ip');
    if (seen.has(address)) return [`${path}.hostAliases[${index}].ip: duplicate ip ${quoted(address)}`];
    seen.add(address);
    return [];
  });
}

function secretWarnings(spec: JsonObject, path: string): readonly string[] {
  const seen = new Set<string>();
  return objectsAt(spec, 'imagePullSecrets').flatMap((secret, index) => {
    const name = stringAt(secret, 'name');
    const at = `${path}.imagePullSecrets[${index}].name`;
    if (name === '') return [`${at}: invalid empty name ""`];
    if (seen.has(name)) return [`${at}: duplicate name ${quoted(name)}`];
    seen.add(name);
    return [];
  });
}

const REMOVED_VOLUMES: ReadonlyMap<string, string> = new Map([
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
]);

function volumeWarnings(spec: JsonObject, path: string): readonly string[] {
  return objectsAt(spec, 'volumes').flatMap((volume, index) => [
    ...[...REMOVED_VOLUMES]
      .filter(([kind]) => valueAt(volume, kind) !== undefined)
      .map(([kind, text]) => `${path}.volumes[${index}].${kind}: ${text}`),
    ...objectsAt(volume, 'projected', 'sources')
      .filter((source) => Object.keys(source).length === 0)
      .map(() => `volume ${quoted(stringAt(volume, 'name'))} (Projected) has no sources provided`),
  ]);
}

function environmentWarnings(container: JsonObject, path: string): readonly string[] {
  const seen = new Set<string>();
  return objectsAt(container, 'env').flatMap((variable, index) => {
    const name = stringAt(variable, 'name');
    const hides = seen.has(name) && !stringAt(variable, 'value').includes(`$(${name})`);
    seen.add(name);
    const text = `hides previous definition of ${quoted(name)}, which may be dropped when using apply`;
    return hides ? [`${path}[${index}]: ${text}`] : [];
  });
}

function fractionWarnings(container: JsonObject, path: string): readonly string[] {
  return ['memory', 'ephemeral-storage'].flatMap((resource) =>
    ['limits', 'requests'].flatMap((kind) => {
      const amount = valueAt(container, 'resources', kind, resource);
      const quantity = quantityOf(amount);
      if (quantity === undefined || wholeNumber(quantity) !== undefined) return [];
      const text = `fractional byte value ${quoted(String(amount))} is invalid, must be an integer`;
      return [`${path}.${kind}[${resource}]: ${text}`];
    }),
  );
}

function portWarnings(spec: JsonObject, path: string): readonly string[] {
  const seen = new Map<string, string>();
  return objectsAt(spec, 'containers').flatMap((container, index) =>
    objectsAt(container, 'ports').flatMap((port, portIndex) => {
      const at = `${path}.containers[${index}].ports[${portIndex}]`;
      const location = ['protocol', 'hostIP'].map((field) => stringAt(port, field)).join('/');
      const key = `${location}/${numberAt(port, 'containerPort')}/${numberAt(port, 'hostPort')}`;
      const first = seen.get(key);
      if (first !== undefined) return [`${at}: duplicate port definition with ${first}`];
      seen.set(key, at);
      return [];
    }),
  );
}
