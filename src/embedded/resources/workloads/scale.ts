/**
 * The scale subresource of Deployments and ReplicaSets.
 *
 *     workload ── scaleOf ──▶ Scale ── (update or patch) ──▶ Scale ── withScale ──▶ workload
 */

import type { Problem } from '../../../base/errors.ts';
import type { Json, JsonObject } from '../../../base/json.ts';
import { numberAt, objectAt, stringAt, valueAt } from '../../../base/json-fields.ts';
import { checkDnsSubdomain, formatSelector } from '../../../kubernetes/meta/index.ts';
import { nameValidator } from '../builtin-strategy.ts';
import { invalid } from '../field-problems.ts';
import { metadataOf, withFieldOf, withValueAt } from '../object-edits.ts';
import { objectMetaProblems } from '../object-meta.ts';

/** The Scale of a workload. Zero replicas are omitted, as Go does. */
export function scaleOf(workload: JsonObject): JsonObject {
  const metadata = metadataOf(workload);
  const replicas = numberAt(workload, 'spec', 'replicas');
  const selector = formatSelector(objectAt(workload, 'spec', 'selector'));
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: Object.fromEntries(
      KEPT.flatMap((field): [string, Json][] => {
        const value = valueAt(metadata, field);
        return value === undefined ? [] : [[field, value]];
      }),
    ),
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: numberAt(workload, 'status', 'replicas'),
      ...(selector === '' ? {} : { selector }),
    },
  };
}

type Scaled =
  | { readonly kind: 'scaled'; readonly object: JsonObject }
  /** Problems with the Scale, not with the workload. */
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] }
  /** The UID is that of another object; the message of a conflict on `deployments/scale`. */
  | { readonly kind: 'conflict'; readonly message: string };

/**
 * The workload with the replicas of the Scale. The resourceVersion is taken from the Scale, so that a stale update is a
 * conflict like any other.
 */
export function withScale(workload: JsonObject, changed: JsonObject): Scaled {
  const problems = scaleProblems(changed);
  if (problems.length > 0) return { kind: 'invalid', problems };
  const [sentUid, uid] = [changed, workload].map((object) => stringAt(object, 'metadata', 'uid'));
  if (sentUid !== '' && sentUid !== uid) {
    const message = `Precondition failed: UID in precondition: ${sentUid}, UID in object meta: ${uid}`;
    return { kind: 'conflict', message };
  }
  const metadata = withFieldOf(metadataOf(workload), metadataOf(changed), 'resourceVersion');
  const replicas = numberAt(changed, 'spec', 'replicas');
  return { kind: 'scaled', object: withValueAt({ ...workload, metadata }, ['spec', 'replicas'], replicas) };
}

function scaleProblems(changed: JsonObject): readonly Problem[] {
  const replicas = numberAt(changed, 'spec', 'replicas');
  return [
    ...objectMetaProblems(changed, NAMED),
    ...(replicas < 0
      ? [invalid('spec.replicas', String(replicas), 'must be greater than or equal to 0')]
      : []),
  ];
}

const KEPT = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp'];
const NAMED = {
  plural: 'scales',
  group: 'autoscaling',
  scope: 'Namespaced',
  origin: 'builtin',
  strategy: { validateName: nameValidator(checkDnsSubdomain) },
} as const;
