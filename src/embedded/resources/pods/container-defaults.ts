/**
 * What a container says where nobody said it.
 */

import type { JsonObject } from '../../../base/json.ts';
import { objectAt, stringAt } from '../../../base/json-fields.ts';
import { withChangedField, withChangedItems, withDefaults } from '../object-edits.ts';
import { imageTag } from './image-name.ts';

/** Those of every container, in pods and in templates. */
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

/** Whoever limits a resource and does not ask for any is given as much as the limit. Only in pods. */
export function withRequestsFromLimits(container: JsonObject): JsonObject {
  return withChangedField(container, 'resources', (resources) => {
    const limits = objectAt(resources, 'limits');
    if (limits === undefined) return resources;
    return { ...resources, requests: withDefaults(objectAt(resources, 'requests') ?? {}, limits) };
  });
}

/** On the network of the host every port of a container is one of the host. Only in pods. */
export function withHostPorts(container: JsonObject): JsonObject {
  return withChangedItems(container, 'ports', (port) =>
    withDefaults(port, port.containerPort === undefined ? {} : { hostPort: port.containerPort }),
  );
}

/** References to fields of the pod or its resources, in variables and volumes. */
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
