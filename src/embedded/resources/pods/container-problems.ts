/**
 * Validation of the containers of a pod.
 */

import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import { numberAt, objectAt, objectsAt, stringAt, valueAt } from '../../../base/json-fields.ts';
import { quoted } from '../../../base/text/index.ts';
import {
  duplicate,
  forbidden,
  invalidText,
  required,
  unsupported,
  unsupportedText,
} from '../field-problems.ts';
import { dnsLabelProblems } from '../name-problems.ts';
import { portNameTexts, portProblems, protocolProblems } from '../services/ports.ts';
import { environmentProblems } from './environment-problems.ts';
import { lifecycleProblems, probesProblems } from './probe-problems.ts';
import { containerResourceProblems } from './resource-problems.ts';
import { securityContextProblems } from './security-problems.ts';
import { deviceProblems, mountProblems, type Volumes } from './volume-mounts.ts';

/** The parts of a pod that the validation of its containers needs. */
type PodParts = {
  readonly spec: JsonObject;
  /** The valid volumes, by name. */
  readonly volumes: Volumes;
};

/** Validates `containers`. */
export function containersProblems(parts: PodParts, path: string): readonly Problem[] {
  const containers = objectsAt(parts.spec, 'containers');
  if (containers.length === 0) return [required(path)];
  const names = new Set<string>();
  return [
    ...containers.flatMap((container, index) => {
      const at = `${path}[${index}]`;
      const problems = [
        ...commonProblems(container, parts, at),
        ...duplicateNameProblems(container, names, at),
        ...lifecycleProblems(container, parts.spec, at),
        ...probesProblems(container, at),
      ];
      if (valueAt(container, 'restartPolicy') !== undefined) {
        problems.push(forbidden(`${at}.restartPolicy`, 'may not be set for non-init containers'));
      }
      return problems;
    }),
    ...hostPortConflicts(containers, path),
  ];
}

/** Validates `initContainers`, including sidecars. */
export function initContainersProblems(parts: PodParts, path: string): readonly Problem[] {
  const names = new Set(objectsAt(parts.spec, 'containers').map((container) => stringAt(container, 'name')));
  return objectsAt(parts.spec, 'initContainers').flatMap((container, index) => {
    const at = `${path}[${index}]`;
    const restartPolicy = valueAt(container, 'restartPolicy');
    return [
      ...commonProblems(container, parts, at),
      ...(restartPolicy === undefined || restartPolicy === 'Always'
        ? []
        : [unsupportedText(`${at}.restartPolicy`, stringAt(container, 'restartPolicy'), ['Always'])]),
      ...duplicateNameProblems(container, names, at),
      ...hostPortConflicts([container], path),
      ...(restartPolicy === 'Always'
        ? [...lifecycleProblems(container, parts.spec, at), ...probesProblems(container, at)]
        : onlyBesideOthers(container, at)),
    ];
  });
}

function onlyBesideOthers(container: JsonObject, path: string): readonly Problem[] {
  return ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe']
    .filter((field) => valueAt(container, field) !== undefined)
    .map((field) =>
      forbidden(`${path}.${field}`, 'may not be set for init containers without restartPolicy=Always'),
    );
}

function commonProblems(container: JsonObject, { volumes }: PodParts, path: string): readonly Problem[] {
  const name = stringAt(container, 'name');
  return [
    ...(name === '' ? [required(`${path}.name`)] : dnsLabelProblems(`${path}.name`, name)),
    ...(stringAt(container, 'image') === '' ? [required(`${path}.image`)] : []),
    ...oneOfProblems(container, path, 'terminationMessagePolicy', ['File', 'FallbackToLogsOnError']),
    ...containerPortsProblems(container, `${path}.ports`),
    ...environmentProblems(container, path),
    ...mountProblems(container, volumes, `${path}.volumeMounts`),
    ...deviceProblems(container, volumes, `${path}.volumeDevices`),
    ...oneOfProblems(container, path, 'imagePullPolicy', ['Always', 'IfNotPresent', 'Never']),
    ...containerResourceProblems(objectAt(container, 'resources') ?? {}, `${path}.resources`),
    ...resizeProblems(container, `${path}.resizePolicy`),
    ...securityContextProblems(objectAt(container, 'securityContext'), `${path}.securityContext`),
  ];
}

function oneOfProblems(
  container: JsonObject,
  path: string,
  field: string,
  supported: readonly string[],
): readonly Problem[] {
  const value = stringAt(container, field);
  if (value === '') return [required(`${path}.${field}`)];
  return supported.includes(value) ? [] : [unsupportedText(`${path}.${field}`, value, supported)];
}

function duplicateNameProblems(container: JsonObject, names: Set<string>, path: string): readonly Problem[] {
  const name = stringAt(container, 'name');
  if (names.has(name)) return [duplicate(`${path}.name`, quoted(name))];
  names.add(name);
  return [];
}

function containerPortsProblems(container: JsonObject, path: string): readonly Problem[] {
  const names = new Set<string>();
  return objectsAt(container, 'ports').flatMap((port, index) => {
    const at = `${path}[${index}]`;
    const number = numberAt(port, 'containerPort');
    const hostPort = numberAt(port, 'hostPort');
    return [
      ...portNameProblems(stringAt(port, 'name'), names, `${at}.name`),
      ...(number === 0 ? [required(`${at}.containerPort`)] : portProblems(`${at}.containerPort`, number)),
      ...(hostPort === 0 ? [] : portProblems(`${at}.hostPort`, hostPort)),
      ...protocolProblems(`${at}.protocol`, stringAt(port, 'protocol')),
    ];
  });
}

function portNameProblems(name: string, names: Set<string>, path: string): readonly Problem[] {
  if (name === '') return [];
  const texts = portNameTexts(name);
  if (texts.length > 0) return texts.map((text) => invalidText(path, name, text));
  if (names.has(name)) return [duplicate(path, quoted(name))];
  names.add(name);
  return [];
}

/** Two containers cannot use the same host port. */
function hostPortConflicts(containers: readonly JsonObject[], path: string): readonly Problem[] {
  const taken = new Set<string>();
  return containers.flatMap((container, index) =>
    objectsAt(container, 'ports').flatMap((port, portIndex) => {
      const hostPort = numberAt(port, 'hostPort');
      if (hostPort === 0) return [];
      const location = `${stringAt(port, 'protocol')}/${stringAt(port, 'hostIP')}/${hostPort}`;
      if (taken.has(location)) {
        return [duplicate(`${path}[${index}].ports[${portIndex}].hostPort`, quoted(location))];
      }
      taken.add(location);
      return [];
    }),
  );
}

const RESIZED = ['cpu', 'memory'];
const RESIZE_POLICIES = ['NotRequired', 'RestartContainer'];

function resizeProblems(container: JsonObject, path: string): readonly Problem[] {
  return objectsAt(container, 'resizePolicy').flatMap((policy) => {
    const resource = stringAt(policy, 'resourceName');
    const restart = stringAt(policy, 'restartPolicy');
    return [
      ...(RESIZED.includes(resource) ? [] : [unsupported(path, resource, RESIZED)]),
      ...(RESIZE_POLICIES.includes(restart) ? [] : [unsupportedText(path, restart, RESIZE_POLICIES)]),
    ];
  });
}
