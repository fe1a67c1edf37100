/**
 * Defaults of containers.
 */

import type { JsonObject } from '../../../base/json.ts';
import { objectAt, stringAt } from '../../../base/json-fields.ts';
import { withChangedField, withChangedItems, withDefaults } from '../object-edits.ts';
import { imageTag } from './image-name.ts';

/** For containers of pods and of pod templates. */
export function containerWithDefaults(container: JsonObject): JsonObject {
  const isLatest = imageTag(stringAt(container, 'image')) === 'latest';
  let filled = withDefaults(container, {
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: isLatest ? 'Always' : 'IfNotPresent',
  });
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    filled = withChangedField(filled, probe, probeWithDefaults);
  }
  filled = withChangedField(filled, 'lifecycle', (lifecycle) =>
    withChangedField(withChangedField(lifecycle, 'postStart', withHttpDefaults), 'preStop', withHttpDefaults),
  );
  return withChangedItems(filled, 'env', (variable) =>
    withChangedField(variable, 'valueFrom', withFieldDefaults),
  );
}

/** A container with a limit and no request for a resource requests the limit. In pods only. */
export function withRequestsFromLimits(container: JsonObject): JsonObject {
  return withChangedField(container, 'resources', (resources) => {
    const limits = objectAt(resources, 'limits');
    if (limits === undefined) return resources;
    return { ...resources, requests: withDefaults(objectAt(resources, 'requests') ?? {}, limits) };
  });
}

/** With hostNetwork every container port is also a host port. In pods only. */
export function withHostPorts(container: JsonObject): JsonObject {
  return withChangedItems(container, 'ports', (port) =>
    withDefaults(port, port.containerPort === undefined ? {} : { hostPort: port.containerPort }),
  );
}

/** For references to fields of the pod or its resources, in environment variables and volumes. */
export function withFieldDefaults(source: JsonObject): JsonObject {
  const named = withChangedField(source, 'fieldRef', (reference) =>
    withDefaults(reference, { apiVersion: 'v1' }),
  );
  return withChangedField(named, 'resourceFieldRef', (reference) =>
    withDefaults(reference, { divisor: '0' }),
  );
}

function probeWithDefaults(probe: JsonObject): JsonObject {
  return withHttpDefaults(
    withDefaults(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }),
  );
}

function withHttpDefaults(handler: JsonObject): JsonObject {
  return withChangedField(handler, 'httpGet', (action) =>
    withDefaults(action, { path: '/', scheme: 'HTTP' }),
  );
}
