/**
 * The initial status of a pod: phase Pending, and its QoS class.
 */

import type { Json, JsonObject } from '../../../base/json.ts';
import { listAt, objectAt, objectsAt, valueAt } from '../../../base/json-fields.ts';
import { compareQuantities, type Quantity } from '../../../base/text/index.ts';
import { quantityOf } from './resource-problems.ts';

export function initialPodStatus(pod: JsonObject, now: string): JsonObject {
  const isGated = listAt(pod, 'spec', 'schedulingGates').length > 0;
  const conditions: Json = [
    {
      type: 'PodScheduled',
      status: 'False',
      lastProbeTime: null,
      lastTransitionTime: now,
      reason: 'SchedulingGated',
      message: 'Scheduling is blocked due to non-empty scheduling gates',
    },
  ];
  return { phase: 'Pending', ...(isGated ? { conditions } : {}), qosClass: qosClassOf(pod) };
}

type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

const COUNTED = ['cpu', 'memory'] as const;

/** Guaranteed: the limits of every container equal its requests. BestEffort: no container has requests or limits. */
function qosClassOf(pod: JsonObject): QosClass {
  const containers = [...objectsAt(pod, 'spec', 'containers'), ...objectsAt(pod, 'spec', 'initContainers')];
  const amounts = containers.map((container) => ({
    requests: amountsOf(container, 'requests'),
    limits: amountsOf(container, 'limits'),
  }));
  if (amounts.every(({ requests, limits }) => requests.size === 0 && limits.size === 0)) return 'BestEffort';
  return amounts.every(({ requests, limits }) => isGuaranteed(requests, limits)) ? 'Guaranteed' : 'Burstable';
}

type Amounts = ReadonlyMap<string, Quantity>;

/** Zero amounts count as absent. */
function amountsOf(container: JsonObject, kind: 'requests' | 'limits'): Amounts {
  const given = objectAt(container, 'resources', kind) ?? {};
  return new Map(
    COUNTED.flatMap((resource): [string, Quantity][] => {
      const amount = quantityOf(valueAt(given, resource));
      return amount === undefined || amount.digits <= 0n ? [] : [[resource, amount]];
    }),
  );
}

function isGuaranteed(requests: Amounts, limits: Amounts): boolean {
  return COUNTED.every((resource) => {
    const limit = limits.get(resource);
    const request = requests.get(resource);
    return limit !== undefined && (request === undefined || compareQuantities(request, limit) === 0);
  });
}
