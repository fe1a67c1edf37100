/**
 * What a container says where nobody said it.
 */

import type { JsonObject } from '../../../base/json.ts';
import { objectAt, stringAt } from '../../../base/json-fields.ts';
import { changedAt, eachChangedAt, filledWith } from '../field-changes.ts';
import { imageTag } from './image-name.ts';

/** Those of every container, in pods and in templates. */
export function containerWithDefaults(container: JsonObject): JsonObject {
  const isLatest = imageTag(stringAt(container, 'image')) === 'latest';
  let filled = filledWith(container, {
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: isLatest ? 'Always' : 'IfNotPresent',
  });
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    filled = changedAt(filled, probe, probeWithDefaults);
  }
  filled = changedAt(filled, 'lifecycle', (lifecycle) =>
    changedAt(changedAt(lifecycle, 'postStart', withHttpDefaults), 'preStop', withHttpDefaults),
  );
  return eachChangedAt(filled, 'env', (variable) => changedAt(variable, 'valueFrom', withFieldDefaults));
}

/** Whoever limits a resource and does not ask for any is given as much as the limit. Only in pods. */
export function withRequestsFromLimits(container: JsonObject): JsonObject {
  return changedAt(container, 'resources', (resources) => {
    const limits = objectAt(resources, 'limits');
    if (limits === undefined) return resources;
    return { ...resources, requests: filledWith(objectAt(resources, 'requests') ?? {}, limits) };
  });
}

/** On the network of the host every port of a container is one of the host. Only in pods. */
export function withHostPorts(container: JsonObject): JsonObject {
  return eachChangedAt(container, 'ports', (port) =>
    filledWith(port, port.containerPort === undefined ? {} : { hostPort: port.containerPort }),
  );
}

/** References to fields of the pod or its resources, in variables and volumes. */
export function withFieldDefaults(source: JsonObject): JsonObject {
  const named = changedAt(source, 'fieldRef', (reference) => filledWith(reference, { apiVersion: 'v1' }));
  return changedAt(named, 'resourceFieldRef', (reference) => filledWith(reference, { divisor: '0' }));
}

function probeWithDefaults(probe: JsonObject): JsonObject {
  return withHttpDefaults(
    filledWith(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }),
  );
}

function withHttpDefaults(handler: JsonObject): JsonObject {
  return changedAt(handler, 'httpGet', (action) => filledWith(action, { path: '/', scheme: 'HTTP' }));
}
