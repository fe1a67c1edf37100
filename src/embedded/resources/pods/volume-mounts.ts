/**
 * Validation of volume mounts and volume devices of a container.
 */

import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import { objectsAt, stringAt, valueAt } from '../../../base/json-fields.ts';
import { quoted } from '../../../base/text/index.ts';
import { forbidden, invalidText, required, unsupportedText } from '../field-problems.ts';
import { descendingPathProblems } from './volume-paths.ts';

export type Volumes = ReadonlyMap<string, JsonObject>;

export function mountProblems(container: JsonObject, volumes: Volumes, path: string): readonly Problem[] {
  const devices = devicesOf(container);
  const paths = new Set<string>();
  return objectsAt(container, 'volumeMounts').flatMap((mount, index) => {
    const at = `${path}[${index}]`;
    const mountPath = stringAt(mount, 'mountPath');
    const problems = [...volumeNameProblems(mount, volumes, `${at}.name`)];
    if (mountPath === '') problems.push(required(`${at}.mountPath`));
    if (paths.has(mountPath)) problems.push(invalidText(`${at}.mountPath`, mountPath, 'must be unique'));
    paths.add(mountPath);
    problems.push(...deviceOverlaps(mount, devices, at), ...subPathProblems(mount, path, at));
    problems.push(...propagationProblems(container, mount, `${path}.mountPropagation`));
    return problems;
  });
}

export function deviceProblems(container: JsonObject, volumes: Volumes, path: string): readonly Problem[] {
  const paths = new Set<string>();
  const names = new Set<string>();
  return objectsAt(container, 'volumeDevices').flatMap((device, index) => {
    const at = `${path}[${index}]`;
    const name = stringAt(device, 'name');
    const devicePath = stringAt(device, 'devicePath');
    const volume = volumes.get(name);
    const problems = [...volumeNameProblems(device, volumes, `${at}.name`)];
    if (names.has(name)) problems.push(invalidText(`${at}.name`, name, 'must be unique'));
    if (volume !== undefined && !BLOCK_SOURCES.some((kind) => valueAt(volume, kind) !== undefined)) {
      problems.push(invalidText(`${at}.name`, name, NOT_A_BLOCK));
    }
    if (devicePath === '') problems.push(required(`${at}.devicePath`));
    if (paths.has(devicePath)) problems.push(invalidText(`${at}.devicePath`, devicePath, 'must be unique'));
    paths.add(devicePath);
    names.add(name);
    return problems;
  });
}

const BLOCK_SOURCES = ['persistentVolumeClaim', 'ephemeral'];
const NOT_A_BLOCK = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';

function volumeNameProblems(mount: JsonObject, volumes: Volumes, path: string): Problem[] {
  const name = stringAt(mount, 'name');
  return [
    ...(name === '' ? [required(path)] : []),
    ...(volumes.has(name)
      ? []
      : [{ path, message: `Not found: ${quoted(name)}`, reason: 'FieldValueNotFound' as const }]),
  ];
}

type Devices = { readonly names: ReadonlySet<string>; readonly paths: ReadonlySet<string> };

function devicesOf(container: JsonObject): Devices {
  const devices = objectsAt(container, 'volumeDevices');
  return {
    names: new Set(devices.map((device) => stringAt(device, 'name'))),
    paths: new Set(devices.map((device) => stringAt(device, 'devicePath'))),
  };
}

function deviceOverlaps(mount: JsonObject, devices: Devices, path: string): readonly Problem[] {
  const name = stringAt(mount, 'name');
  const mountPath = stringAt(mount, 'mountPath');
  return [
    ...(devices.names.has(name)
      ? [invalidText(`${path}.name`, name, 'must not already exist in volumeDevices')]
      : []),
    ...(devices.paths.has(mountPath)
      ? [invalidText(`${path}.mountPath`, mountPath, 'must not already exist as a path in volumeDevices')]
      : []),
  ];
}

/** kube-apiserver reports sub paths on the list, not on the mount. */
function subPathProblems(mount: JsonObject, listPath: string, path: string): readonly Problem[] {
  const subPath = stringAt(mount, 'subPath');
  const expression = stringAt(mount, 'subPathExpr');
  const problems = [...(subPath === '' ? [] : descendingPathProblems(`${listPath}.subPath`, subPath))];
  if (expression === '') return problems;
  if (subPath !== '') {
    const detail = 'subPathExpr and subPath are mutually exclusive';
    problems.push(invalidText(`${path}.subPathExpr`, expression, detail));
  }
  return [...problems, ...descendingPathProblems(`${listPath}.subPathExpr`, expression)];
}

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None'];

function propagationProblems(container: JsonObject, mount: JsonObject, path: string): readonly Problem[] {
  if (valueAt(mount, 'mountPropagation') === undefined) return [];
  const text = stringAt(mount, 'mountPropagation');
  if (!PROPAGATIONS.includes(text)) return [unsupportedText(path, text, PROPAGATIONS)];
  const isPrivileged = valueAt(container, 'securityContext', 'privileged') === true;
  if (text !== 'Bidirectional' || isPrivileged) return [];
  const detail = 'Bidirectional mount propagation is available only to privileged containers';
  return [forbidden(path, detail)];
}
