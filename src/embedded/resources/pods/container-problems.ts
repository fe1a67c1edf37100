/**
 * What is wrong with the containers of a pod.
 */
import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import { quoted } from '../../../base/text/index.ts';
import { itemsAt, numberAt, objectAt, textAt, valueAt } from '../decoding/json-fields.ts';
import {
  duplicate,
  forbidden,
  invalidText,
  required,
  unsupported,
  unsupportedText,
} from '../field-problems.ts';
import { dnsLabelProblems } from '../names-in-fields.ts';
import { portNameTexts, portProblems, protocolProblems } from '../services/ports.ts';
import { environmentProblems } from './environment-problems.ts';
import { lifecycleProblems, probesProblems } from './probe-problems.ts';
import { containerResourceProblems } from './resource-problems.ts';
import { securityContextProblems } from './security-problems.ts';
import { deviceProblems, mountProblems, type Volumes } from './volume-mounts.ts';

/** What the containers share. */
type PodParts = {
  readonly spec: JsonObject;
  /** The volumes that are sound, by name. */
  readonly volumes: Volumes;
};

/** The containers that run as long as the pod does. */
export function containersProblems(parts: PodParts, path: string): readonly Problem[] {
  const containers = itemsAt(parts.spec, 'containers');
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

/** The containers that run before the others, or beside them from the beginning. */
export function initContainersProblems(parts: PodParts, path: string): readonly Problem[] {
  const names = new Set(itemsAt(parts.spec, 'containers').map((container) => textAt(container, 'name')));
  return itemsAt(parts.spec, 'initContainers').flatMap((container, index) => {
    const at = `${path}[${index}]`;
    const restartPolicy = valueAt(container, 'restartPolicy');
    return [
      ...commonProblems(container, parts, at),
      ...(restartPolicy === undefined || restartPolicy === 'Always'
        ? []
        : [unsupportedText(`${at}.restartPolicy`, textAt(container, 'restartPolicy'), ['Always'])]),
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
  const name = textAt(container, 'name');
  return [
    ...(name === '' ? [required(`${path}.name`)] : dnsLabelProblems(`${path}.name`, name)),
    ...(textAt(container, 'image') === '' ? [required(`${path}.image`)] : []),
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
  const value = textAt(container, field);
  if (value === '') return [required(`${path}.${field}`)];
  return supported.includes(value) ? [] : [unsupportedText(`${path}.${field}`, value, supported)];
}

function duplicateNameProblems(container: JsonObject, names: Set<string>, path: string): readonly Problem[] {
  const name = textAt(container, 'name');
  if (names.has(name)) return [duplicate(`${path}.name`, quoted(name))];
  names.add(name);
  return [];
}

function containerPortsProblems(container: JsonObject, path: string): readonly Problem[] {
  const names = new Set<string>();
  return itemsAt(container, 'ports').flatMap((port, index) => {
    const at = `${path}[${index}]`;
    const number = numberAt(port, 'containerPort') ?? 0;
    const hostPort = numberAt(port, 'hostPort') ?? 0;
    return [
      ...portNameProblems(textAt(port, 'name'), names, `${at}.name`),
      ...(number === 0 ? [required(`${at}.containerPort`)] : portProblems(`${at}.containerPort`, number)),
      ...(hostPort === 0 ? [] : portProblems(`${at}.hostPort`, hostPort)),
      ...protocolProblems(`${at}.protocol`, textAt(port, 'protocol')),
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

/** Two containers cannot listen on one port of the node. */
function hostPortConflicts(containers: readonly JsonObject[], path: string): readonly Problem[] {
  const taken = new Set<string>();
  return containers.flatMap((container, index) =>
    itemsAt(container, 'ports').flatMap((port, portIndex) => {
      const hostPort = numberAt(port, 'hostPort') ?? 0;
      if (hostPort === 0) return [];
      const place = `${textAt(port, 'protocol')}/${textAt(port, 'hostIP')}/${hostPort}`;
      if (taken.has(place)) {
        return [duplicate(`${path}[${index}].ports[${portIndex}].hostPort`, quoted(place))];
      }
      taken.add(place);
      return [];
    }),
  );
}

const RESIZED = ['cpu', 'memory'];
const RESIZE_POLICIES = ['NotRequired', 'RestartContainer'];

function resizeProblems(container: JsonObject, path: string): readonly Problem[] {
  return itemsAt(container, 'resizePolicy').flatMap((policy) => {
    const resource = textAt(policy, 'resourceName');
    const restart = textAt(policy, 'restartPolicy');
    return [
      ...(RESIZED.includes(resource) ? [] : [unsupported(path, resource, RESIZED)]),
      ...(RESIZE_POLICIES.includes(restart) ? [] : [unsupportedText(path, restart, RESIZE_POLICIES)]),
    ];
  });
}
