/**
 * Validation of the volumes of a pod.
 */

import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import { objectAt, objectsAt, stringAt, valueAt } from '../../../base/json-fields.ts';
import { quoted } from '../../../base/text/index.ts';
import { duplicate, forbidden, invalidText, required, unsupportedText } from '../field-problems.ts';
import { dnsLabelProblems, dnsSubdomainProblems } from '../name-problems.ts';
import { projectionProblems } from './projected-volume.ts';
import { quantityOf } from './resource-problems.ts';
import { downwardItemProblems, keyProblems, modeProblems } from './volume-items.ts';
import type { Volumes } from './volume-mounts.ts';
import { decreaseProblems } from './volume-paths.ts';

/** The valid volumes by name, and the problems with the others. */
export function readVolumes(
  spec: JsonObject,
  path: string,
): { readonly volumes: Volumes; readonly problems: readonly Problem[] } {
  const volumes = new Map<string, JsonObject>();
  const problems = objectsAt(spec, 'volumes').flatMap((volume, index) => {
    const at = `${path}[${index}]`;
    const name = stringAt(volume, 'name');
    const found = [
      ...sourceProblems(volume, at),
      ...(name === '' ? [required(`${at}.name`)] : dnsLabelProblems(`${at}.name`, name)),
      ...(volumes.has(name) ? [duplicate(`${at}.name`, quoted(name))] : []),
    ];
    if (found.length === 0) volumes.set(name, volume);
    return found;
  });
  return { volumes, problems };
}

type Check = (source: JsonObject, path: string) => readonly Problem[];

/** In the order of kube-apiserver: the first source counts, others are reported as too many. */
const SOURCES: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['emptyDir', emptyDirProblems],
  ['hostPath', hostPathProblems],
  [
    'gitRepo',
    (source, path) => (stringAt(source, 'repository') === '' ? [required(`${path}.repository`)] : []),
  ],
  ['gcePersistentDisk', () => []],
  ['awsElasticBlockStore', () => []],
  ['secret', (source, path) => fileProblems(source, path, 'secretName')],
  ['nfs', nfsProblems],
  ['iscsi', () => []],
  ['glusterfs', () => []],
  ['flocker', () => []],
  ['persistentVolumeClaim', claimProblems],
  ['rbd', () => []],
  ['cinder', () => []],
  ['cephfs', () => []],
  ['quobyte', () => []],
  ['downwardAPI', downwardProblems],
  ['fc', () => []],
  ['flexVolume', () => []],
  ['configMap', (source, path) => fileProblems(source, path, 'name')],
  ['azureFile', () => []],
  ['vsphereVolume', () => []],
  ['photonPersistentDisk', () => []],
  ['portworxVolume', () => []],
  ['azureDisk', () => []],
  ['storageos', () => []],
  ['projected', projectedProblems],
  ['scaleIO', () => []],
  ['csi', csiProblems],
  ['ephemeral', ephemeralProblems],
  ['image', () => []],
]);

function sourceProblems(volume: JsonObject, path: string): readonly Problem[] {
  const given = [...SOURCES].filter(([kind]) => objectAt(volume, kind) !== undefined);
  const [first, ...others] = given;
  if (first === undefined) return [required(path, 'must specify a volume type')];
  const [kind, check] = first;
  return [
    ...check(objectAt(volume, kind) ?? {}, `${path}.${kind}`),
    ...others.map(([other]) => forbidden(`${path}.${other}`, 'may not specify more than 1 volume type')),
  ];
}

function emptyDirProblems(source: JsonObject, path: string): readonly Problem[] {
  const isNegative = (quantityOf(valueAt(source, 'sizeLimit'))?.digits ?? 0n) < 0n;
  return isNegative
    ? [forbidden(`${path}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')]
    : [];
}

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

function hostPathProblems(source: JsonObject, path: string): readonly Problem[] {
  const target = stringAt(source, 'path');
  const type = stringAt(source, 'type');
  if (target === '') return [required(`${path}.path`)];
  return [
    ...decreaseProblems(`${path}.path`, target),
    ...(HOST_PATH_TYPES.includes(type) ? [] : [unsupportedText(`${path}.type`, type, HOST_PATH_TYPES)]),
  ];
}

function nfsProblems(source: JsonObject, path: string): readonly Problem[] {
  const target = stringAt(source, 'path');
  return [
    ...(stringAt(source, 'server') === '' ? [required(`${path}.server`)] : []),
    ...(target === '' ? [required(`${path}.path`)] : []),
    ...(target.startsWith('/') ? [] : [invalidText(`${path}.path`, target, 'must be an absolute path')]),
  ];
}

function claimProblems(source: JsonObject, path: string): readonly Problem[] {
  return stringAt(source, 'claimName') === '' ? [required(`${path}.claimName`)] : [];
}

function csiProblems(source: JsonObject, path: string): readonly Problem[] {
  const driver = stringAt(source, 'driver');
  return [
    ...(driver === '' ? [required(`${path}.driver`)] : []),
    ...dnsSubdomainProblems(`${path}.driver`, driver.toLowerCase()),
  ];
}

function ephemeralProblems(source: JsonObject, path: string): readonly Problem[] {
  return objectAt(source, 'volumeClaimTemplate') === undefined
    ? [required(`${path}.volumeClaimTemplate`)]
    : [];
}

/** A ConfigMap or Secret whose keys become files. */
function fileProblems(source: JsonObject, path: string, nameField: string): readonly Problem[] {
  return [
    ...(stringAt(source, nameField) === '' ? [required(`${path}.${nameField}`)] : []),
    ...modeProblems(source, 'defaultMode', path),
    ...keyProblems(source, `${path}.items`),
  ];
}

function downwardProblems(source: JsonObject, path: string): readonly Problem[] {
  return [...modeProblems(source, 'defaultMode', path), ...downwardItemProblems(source, path)];
}

function projectedProblems(source: JsonObject, path: string): readonly Problem[] {
  return [
    ...modeProblems(source, 'defaultMode', path),
    ...objectsAt(source, 'sources').flatMap((projection, index) =>
      projectionProblems(projection, path, `${path}.sources[${index}]`),
    ),
  ];
}
