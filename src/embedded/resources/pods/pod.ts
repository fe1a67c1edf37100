/**
 * The strategy of Pods: the status starts as Pending, most of the spec is immutable, and deletion has a grace period.
 */

import type { Problem } from '../../../base/errors.ts';
import { type JsonObject, jsonEqual } from '../../../base/json.ts';
import {
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  optionalStringAt,
  stringAt,
  stringMapAt,
} from '../../../base/json-fields.ts';
import { pod } from '../../../kubernetes/types/index.ts';
import { builtinStrategy, statusSubresource } from '../builtin-strategy.ts';
import { forbidden, invalidText } from '../field-problems.ts';
import { dnsSubdomainProblems, qualifiedNameProblems } from '../name-problems.ts';
import {
  generationOf,
  withChangedField,
  withChangedItems,
  withGeneration,
  withOldStatus,
  without,
} from '../object-edits.ts';
import type { SubresourceStrategy } from '../strategy.ts';
import {
  type Annotations,
  podAnnotationProblems,
  podAnnotationUpdateProblems,
  profileMatchProblems,
} from './pod-annotations.ts';
import { podWithDefaults } from './pod-defaults.ts';
import { addressProblems, podSpecProblems } from './pod-spec.ts';
import { initialPodStatus } from './pod-status.ts';
import { podUpdateProblems } from './pod-update.ts';
import { podWarnings } from './pod-warnings.ts';

const plainStatusSubresource = statusSubresource({
  validateUpdate: statusProblems,
  keptMetadata: ['deletionTimestamp', 'ownerReferences'],
});

const podStatusSubresource: SubresourceStrategy = {
  ...plainStatusSubresource,
  prepareForUpdate: (object, old, context) =>
    withChangedField(plainStatusSubresource.prepareForUpdate(object, old, context), 'status', (status) => {
      const qosClass = optionalStringAt(old, 'status', 'qosClass');
      return qosClass === undefined || stringAt(status, 'qosClass') !== '' ? status : { ...status, qosClass };
    }),
};

export const podStrategy = builtinStrategy({
  of: pod,
  afterSchemaDefaults: podWithDefaults,
  prepareForCreate: (object, { now }) => {
    const kept = withChangedField(object, 'spec', withoutGatedFields);
    return withGeneration({ ...kept, status: initialPodStatus(kept, now) }, 1);
  },
  prepareForUpdate: (object, old) => {
    const kept = withOldStatus(withChangedField(object, 'spec', withoutGatedFields), old);
    const increment = jsonEqual(kept.spec, old.spec) ? 0 : 1;
    return withGeneration(kept, generationOf(old) + increment);
  },
  validateCreate: (object) => [...specProblems(object), ...createProblems(objectAt(object, 'spec') ?? {})],
  validateUpdate: (object, old) => [
    ...specProblems(object),
    ...podAnnotationUpdateProblems(annotationsOf(object), annotationsOf(old)),
    ...podUpdateProblems(object, old),
  ],
  warnings: podWarnings,
  subresources: { status: podStatusSubresource },
  resetFields: [['status']],
  gracePeriodSeconds,
});

/** Pods that are not scheduled or have finished are deleted immediately. */
function gracePeriodSeconds(object: JsonObject, requested: number | undefined): number {
  const isBound = stringAt(object, 'spec', 'nodeName') !== '';
  const hasFinished = ['Succeeded', 'Failed'].includes(stringAt(object, 'status', 'phase'));
  if (!isBound || hasFinished) return 0;
  const seconds = requested ?? numberAt(object, 'spec', 'terminationGracePeriodSeconds');
  return seconds < 0 ? 1 : seconds;
}

/** Fields behind feature gates that are off by default are dropped. */
function withoutGatedFields(spec: JsonObject): JsonObject {
  let kept = without(spec, 'resources', 'resourceClaims');
  for (const kind of ['containers', 'initContainers']) {
    kept = withChangedItems(kept, kind, (container) =>
      withChangedField(container, 'resources', (resources) => without(resources, 'claims')),
    );
  }
  return kept;
}

function specProblems(object: JsonObject): readonly Problem[] {
  const spec = objectAt(object, 'spec') ?? {};
  const annotations = annotationsOf(object);
  return [
    ...podAnnotationProblems(annotations, spec, 'metadata.annotations'),
    ...podSpecProblems(spec, 'spec', { isTemplate: false }),
    ...profileMatchProblems(annotations, spec, 'spec'),
    ...['containers', 'initContainers'].flatMap((kind) =>
      objectsAt(spec, kind).flatMap((container, index) => {
        const image = stringAt(container, 'image');
        if (image === image.trim()) return [];
        const at = `spec.${kind}[${index}].image`;
        return [invalidText(at, image, 'must not have leading or trailing whitespace')];
      }),
    ),
  ];
}

function annotationsOf(object: JsonObject): Annotations {
  return stringMapAt(object, 'metadata', 'annotations');
}

function createProblems(spec: JsonObject): readonly Problem[] {
  const hasGates = listAt(spec, 'schedulingGates').length > 0;
  return [
    ...(listAt(spec, 'ephemeralContainers').length > 0
      ? [forbidden('spec.ephemeralContainers', 'cannot be set on create')]
      : []),
    ...(stringAt(spec, 'nodeName') !== '' && hasGates
      ? [forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')]
      : []),
  ];
}

function statusProblems(object: JsonObject, old: JsonObject): readonly Problem[] {
  const status = objectAt(object, 'status') ?? {};
  const qosClass = stringAt(status, 'qosClass');
  const node = stringAt(status, 'nominatedNodeName');
  return [
    ...(qosClass === stringAt(old, 'status', 'qosClass')
      ? []
      : [invalidText('status.qosClass', qosClass, 'field is immutable')]),
    ...objectsAt(status, 'conditions').flatMap((condition, index) =>
      qualifiedNameProblems(`status.conditions[${index}].Type`, stringAt(condition, 'type')),
    ),
    ...(node === '' ? [] : dnsSubdomainProblems('status.nominatedNodeName', node)),
    ...objectsAt(status, 'podIPs').flatMap((address, index) =>
      addressProblems(`status.podIPs[${index}]`, stringAt(address, 'ip')),
    ),
  ];
}
