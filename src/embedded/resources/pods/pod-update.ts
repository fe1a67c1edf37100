/**
 * Validation of pod updates: only images, deadlines, tolerations and scheduling gates can be changed.
 */

import { joinPath, type Problem } from '../../../base/errors.ts';
import { canonicalJson, isJsonObject, type Json, type JsonObject, jsonEqual } from '../../../base/json.ts';
import {
  objectAt,
  objectsAt,
  optionalNumberAt,
  stringAt,
  stringMapAt,
  valueAt,
} from '../../../base/json-fields.ts';
import { GO_NULL, goStringMap } from '../decoding/go-format.ts';
import { forbidden, invalid, invalidText, required } from '../field-problems.ts';
import { without } from '../object-edits.ts';
import { rangeText } from '../services/ports.ts';

export function podUpdateProblems(pod: JsonObject, oldPod: JsonObject): readonly Problem[] {
  const spec = objectAt(pod, 'spec') ?? {};
  const old = objectAt(oldPod, 'spec') ?? {};
  for (const kind of ['containers', 'initContainers']) {
    if (objectsAt(spec, kind).length !== objectsAt(old, kind).length) {
      return [forbidden(`spec.${kind}`, 'pod updates may not add or remove containers')];
    }
  }
  const images = ['containers', 'initContainers'].flatMap((kind) => imageProblems(spec, kind));
  const deadline = deadlineProblems(spec, old);
  if (deadline.isFinal) return [...images, ...deadline.problems];
  return [
    ...images,
    ...deadline.problems,
    ...tolerationProblems(spec, old),
    ...gateProblems(spec, old),
    ...gatedProblems(spec, old),
    ...otherProblems(spec, old),
  ];
}

/** kube-apiserver validates images twice on update: as part of the spec and as a change. */
function imageProblems(spec: JsonObject, kind: string): readonly Problem[] {
  return objectsAt(spec, kind).flatMap((container, index) => {
    const image = stringAt(container, 'image');
    const at = `spec.${kind}[${index}].image`;
    if (image === '') return [required(at)];
    return image === image.trim()
      ? []
      : [invalidText(at, image, 'must not have leading or trailing whitespace')];
  });
}

const MAX_SECONDS = 2 ** 31 - 1;

/** Whether the remaining validation is skipped. */
function deadlineProblems(
  spec: JsonObject,
  old: JsonObject,
): { readonly problems: readonly Problem[]; readonly isFinal: boolean } {
  const path = 'spec.activeDeadlineSeconds';
  const [deadline, before] = [spec, old].map((one) => optionalNumberAt(one, 'activeDeadlineSeconds'));
  if (deadline === undefined) {
    if (before === undefined) return { problems: [], isFinal: false };
    const detail = 'must not update from a positive integer to nil value';
    return { problems: [invalid(path, GO_NULL, detail)], isFinal: false };
  }
  if (deadline < 0 || deadline > MAX_SECONDS) {
    return { problems: [invalid(path, String(deadline), rangeText(0, MAX_SECONDS))], isFinal: true };
  }
  if (before === undefined || before >= deadline) return { problems: [], isFinal: false };
  const detail = 'must be less than or equal to previous value';
  return { problems: [invalid(path, String(deadline), detail)], isFinal: true };
}

/** Only `tolerationSeconds` of a toleration can be changed. */
function tolerationProblems(spec: JsonObject, old: JsonObject): readonly Problem[] {
  const kindOf = (toleration: JsonObject): string => canonicalJson(without(toleration, 'tolerationSeconds'));
  const now = new Set(objectsAt(spec, 'tolerations').map(kindOf));
  const isKept = objectsAt(old, 'tolerations').every((before) => now.has(kindOf(before)));
  const detail = 'existing toleration can not be modified except its tolerationSeconds';
  return isKept ? [] : [forbidden('spec.tolerations', detail)];
}

function gateProblems(spec: JsonObject, old: JsonObject): readonly Problem[] {
  const before = new Set(objectsAt(old, 'schedulingGates').map((gate) => stringAt(gate, 'name')));
  return objectsAt(spec, 'schedulingGates').flatMap((gate, index) => {
    const name = stringAt(gate, 'name');
    if (before.has(name)) return [];
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return [forbidden(`spec.schedulingGates[${index}].name`, detail)];
  });
}

/** While a pod has scheduling gates, its node selector and affinity may become stricter. */
function gatedProblems(spec: JsonObject, old: JsonObject): readonly Problem[] {
  if (!isGated(old)) return [];
  const now = stringMapAt(spec, 'nodeSelector');
  const before = Object.entries(stringMapAt(old, 'nodeSelector'));
  if (before.every(([key, value]) => Object.hasOwn(now, key) && now[key] === value)) return [];
  const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  return [invalid('spec.nodeSelector', goStringMap(now), detail)];
}

function isGated(spec: JsonObject): boolean {
  return objectsAt(spec, 'schedulingGates').length > 0;
}

const CHANGEABLE =
  '`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

function otherProblems(spec: JsonObject, old: JsonObject): readonly Problem[] {
  const [now, before] = [comparable(spec, old), comparable(old, old)];
  if (jsonEqual(now, before)) return [];
  const detail = `pod updates may not change fields other than ${CHANGEABLE}\n${difference(before, now)}`;
  return [forbidden('spec', detail)];
}

/** The spec with its mutable fields taken from the old one. */
function comparable(spec: JsonObject, old: JsonObject): JsonObject {
  const changeable = ['activeDeadlineSeconds', 'schedulingGates', 'tolerations'];
  const requirements = isGated(old) ? ['nodeSelector', 'affinity'] : [];
  return {
    ...without(spec, ...changeable, ...requirements),
    containers: objectsAt(spec, 'containers').map((container) => without(container, 'image')),
    initContainers: objectsAt(spec, 'initContainers').map((container) => without(container, 'image')),
  };
}

/** The fields that differ, before and after. kube-apiserver also prints unchanged context. */
function difference(before: JsonObject, after: JsonObject): string {
  const lines = changesOf('', before, after).flatMap(([path, was, is]) => [
    `- \t${path}: ${formatted(was)},`,
    `+ \t${path}: ${formatted(is)},`,
  ]);
  return ['  core.PodSpec{', ...lines, '  }', ''].join('\n');
}

type Change = readonly [path: string, before: Json | undefined, after: Json | undefined];

/** The smallest differing values, each with its path. */
function changesOf(path: string, before: Json | undefined, after: Json | undefined): readonly Change[] {
  if (jsonEqual(before, after)) return [];
  if (isJsonObject(before) && isJsonObject(after)) {
    const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return fields.flatMap((field) =>
      changesOf(joinPath(path, field), valueAt(before, field), valueAt(after, field)),
    );
  }
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length) {
    return [[path, before, after]];
  }
  return before.flatMap((item: Json, index) => changesOf(`${path}[${index}]`, item, after[index]));
}

function formatted(value: Json | undefined): string {
  return value === undefined ? 'nil' : JSON.stringify(value);
}
