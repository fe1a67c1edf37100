/**
 * Defaults of pods that do not depend on other objects.
 */

import type { JsonObject } from '../../../base/json.ts';
import { numberAt, objectsAt, stringAt } from '../../../base/json-fields.ts';
import { withChangedField, withChangedItems, withDefaults } from '../object-edits.ts';
import { containerWithDefaults, withHostPorts, withRequestsFromLimits } from './container-defaults.ts';
import { volumeWithDefaults } from './volume-defaults.ts';

export function podWithDefaults(pod: JsonObject): JsonObject {
  return withChangedField(withChangedField(pod, 'status', withPodIps), 'spec', (spec) => {
    let filled = podSpecWithDefaults(spec);
    for (const kind of ['containers', 'initContainers']) {
      filled = withChangedItems(filled, kind, withRequestsFromLimits);
      if (spec.hostNetwork === true) filled = withChangedItems(filled, kind, withHostPorts);
    }
    const isNegative = numberAt(spec, 'terminationGracePeriodSeconds') < 0;
    return {
      ...withDefaults(filled, { enableServiceLinks: true }),
      ...(isNegative ? { terminationGracePeriodSeconds: 1 } : {}),
    };
  });
}

/** For pods and pod templates. */
export function podSpecWithDefaults(spec: JsonObject): JsonObject {
  let filled = withAccount(
    withDefaults(spec, {
      dnsPolicy: 'ClusterFirst',
      restartPolicy: 'Always',
      schedulerName: 'default-scheduler',
      securityContext: {},
      terminationGracePeriodSeconds: 30,
    }),
  );
  for (const kind of ['containers', 'initContainers', 'ephemeralContainers']) {
    filled = withChangedItems(filled, kind, containerWithDefaults);
  }
  return withChangedItems(filled, 'volumes', volumeWithDefaults);
}

/** `serviceAccount` is the deprecated alias of `serviceAccountName`; both are always set. */
function withAccount(spec: JsonObject): JsonObject {
  const account = stringAt(spec, 'serviceAccountName') || stringAt(spec, 'serviceAccount');
  return account === '' ? spec : { ...spec, serviceAccountName: account, serviceAccount: account };
}

/** `podIP` mirrors the first of `podIPs`. */
function withPodIps(status: JsonObject): JsonObject {
  const address = stringAt(status, 'podIP');
  const [first] = objectsAt(status, 'podIPs');
  const firstAddress = stringAt(first, 'ip');
  if (address === '') return firstAddress === '' ? status : { ...status, podIP: firstAddress };
  return address === firstAddress ? status : { ...status, podIPs: [{ ip: address }] };
}
