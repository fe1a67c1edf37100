/**
 * The binding subresource of pods: assigns a pod to a node.
 */

import type { JsonObject } from '../../../base/json.ts';
import { objectAt, objectsAt, optionalStringAt, stringAt } from '../../../base/json-fields.ts';
import { quoted } from '../../../base/text/index.ts';
import { badRequest, conflict, type StatusError, unknownError } from '../../status/index.ts';
import { metadataOf, withChangedField } from '../object-edits.ts';
import { withCondition } from '../status-conditions.ts';

type BoundPod = { readonly kind: 'bound'; readonly pod: JsonObject };

/** `now`: RFC 3339, in whole seconds. The caller checks preconditions in the metadata of the binding. */
export function bindPod(pod: JsonObject, binding: JsonObject, now: string): BoundPod | StatusError {
  const name = stringAt(pod, 'metadata', 'name');
  if (stringAt(binding, 'metadata', 'name') !== name) {
    return badRequest('name in URL does not match name in Binding object');
  }
  const target = targetError(binding);
  if (target !== undefined) return target;
  const why = bindingConflict(pod, name);
  if (why !== undefined) return conflict({ group: '', plural: 'pods/binding' }, name, why);
  return { kind: 'bound', pod: withNode(pod, binding, now) };
}

/** kube-apiserver answers these with 500. */
function targetError(binding: JsonObject): StatusError | undefined {
  const kind = stringAt(binding, 'target', 'kind');
  if (kind !== '' && kind !== 'Node') {
    return unknownError(
      `target.kind: Unsupported value: ${quoted(kind)}: supported values: "Node", "<empty>"`,
    );
  }
  return stringAt(binding, 'target', 'name') === '' ? unknownError('target.name: Required value') : undefined;
}

function bindingConflict(pod: JsonObject, name: string): string | undefined {
  const node = stringAt(pod, 'spec', 'nodeName');
  if (optionalStringAt(pod, 'metadata', 'deletionTimestamp') !== undefined) {
    return `pod ${name} is being deleted, cannot be assigned to a host`;
  }
  if (node !== '') return `pod ${name} is already assigned to node ${quoted(node)}`;
  if (objectsAt(pod, 'spec', 'schedulingGates').length > 0) {
    return `pod ${name} has non-empty .spec.schedulingGates`;
  }
  return undefined;
}

/** A binding does not increment the generation. */
function withNode(pod: JsonObject, binding: JsonObject, now: string): JsonObject {
  const added = objectAt(binding, 'metadata', 'annotations') ?? {};
  const annotations = { ...objectAt(pod, 'metadata', 'annotations'), ...added };
  const placed = withChangedField(pod, 'spec', (spec) => ({
    ...spec,
    nodeName: stringAt(binding, 'target', 'name'),
  }));
  const scheduled = withChangedField(placed, 'status', (status) => ({
    ...status,
    conditions: withCondition(status, {
      type: 'PodScheduled',
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: now,
    }),
  }));
  if (Object.keys(annotations).length === 0) return scheduled;
  return { ...scheduled, metadata: { ...metadataOf(scheduled), annotations } };
}
