/**
 * What a pod says where nobody said it, before anything is known about the cluster.
 */

import type { JsonObject } from '../../../base/json.ts';
import { numberAt, objectsAt, stringAt } from '../../../base/json-fields.ts';
import { changedAt, eachChangedAt, filledWith } from '../field-changes.ts';
import { containerWithDefaults, withHostPorts, withRequestsFromLimits } from './container-defaults.ts';
import { volumeWithDefaults } from './volume-defaults.ts';

export function podWithDefaults(pod: JsonObject): JsonObject {
  return changedAt(changedAt(pod, 'status', withBothAddresses), 'spec', (spec) => {
    let filled = podSpecWithDefaults(spec);
    for (const kind of ['containers', 'initContainers']) {
      filled = eachChangedAt(filled, kind, withRequestsFromLimits);
      if (spec.hostNetwork === true) filled = eachChangedAt(filled, kind, withHostPorts);
    }
    const isNegative = numberAt(spec, 'terminationGracePeriodSeconds') < 0;
    return {
      ...filledWith(filled, { enableServiceLinks: true }),
      ...(isNegative ? { terminationGracePeriodSeconds: 1 } : {}),
    };
  });
}

/** The part that pods and templates of pods share. */
export function podSpecWithDefaults(spec: JsonObject): JsonObject {
  let filled = withAccount(
    filledWith(spec, {
      dnsPolicy: 'ClusterFirst',
      restartPolicy: 'Always',
      schedulerName: 'default-scheduler',
      securityContext: {},
      terminationGracePeriodSeconds: 30,
    }),
  );
  for (const kind of ['containers', 'initContainers', 'ephemeralContainers']) {
    filled = eachChangedAt(filled, kind, containerWithDefaults);
  }
  return eachChangedAt(filled, 'volumes', volumeWithDefaults);
}

/** The account has an older name as well, and both are always written. */
function withAccount(spec: JsonObject): JsonObject {
  const account = stringAt(spec, 'serviceAccountName') || stringAt(spec, 'serviceAccount');
  return account === '' ? spec : { ...spec, serviceAccountName: account, serviceAccount: account };
}

/** The address of a pod stands in the status twice: alone, and first in the list of all of them. */
function withBothAddresses(status: JsonObject): JsonObject {
  const address = stringAt(status, 'podIP');
  const [first] = objectsAt(status, 'podIPs');
  const firstAddress = stringAt(first, 'ip');
  if (address === '') return firstAddress === '' ? status : { ...status, podIP: firstAddress };
  return address === firstAddress ? status : { ...status, podIPs: [{ ip: address }] };
}
