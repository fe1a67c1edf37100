/**
 * The scale of a Deployment or ReplicaSet: the number of its pods as an object of its own, read and written
 * through `/scale` whatever the kind.
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

/** The scale as it is read. Nought pods are not written down, as everywhere. */
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
  /** Problems of the Scale, not of the workload. */
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] }
  /** The client means another object of this name; the text of a conflict on `deployments/scale`. */
  | { readonly kind: 'conflict'; readonly message: string };

/**
 * The workload with as many pods as the scale asks for. The version that the client means comes along, so that
 * an update of a workload that has changed since is refused as any other would be.
 */
export function withScale(workload: JsonObject, changed: JsonObject): Scaled {
  const problems = scaleProblems(changed);
  if (problems.length > 0) return { kind: 'invalid', problems };
  const [meant, uid] = [changed, workload].map((object) => stringAt(object, 'metadata', 'uid'));
  if (meant !== '' && meant !== uid) {
    const message = `Precondition failed: UID in precondition: ${meant}, UID in object meta: ${uid}`;
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
