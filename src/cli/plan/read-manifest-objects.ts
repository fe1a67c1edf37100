/**
 * Objects of files, folders and standard input: those of our kinds validated as `millwright render` does, others as they are.
 */
import { machineConfig } from '../../api/index.ts';
import { Failure } from '../../base/errors.ts';
import { compareBytes, isObject, type JsonObject } from '../../base/json.ts';
import { counted } from '../../base/text/index.ts';
import type { SnapshotObject } from '../../insight/index.ts';
import { configMap, daemonSet, pod, podDisruptionBudget } from '../../kubernetes/types/index.ts';
import { dumpRoots } from '../doctor/find-dump-files.ts';
import type { Ports } from '../ports.ts';
import { type Finding, formatFinding, sortFindings } from '../render/finding.ts';
import { readManifests } from '../render/manifests.ts';
import { readInput } from '../render/read-input.ts';
import { CONFIG_KINDS } from './plan-sources.ts';

type ManifestObjects = {
  readonly objects: readonly SnapshotObject[];
  /** One line each, with file, line, object and field. */
  readonly problems: readonly string[];
  /** The same of files of dumps with `skipsDamage`: what they hold is left out. */
  readonly skipped: readonly string[];
  /** What of the input a plan does not look at. */
  readonly notes: readonly string[];
};

type Reading = {
  readonly ports: Ports;
  readonly namespace: string;
  /** Dumps are often damaged or cut off. */
  readonly skipsDamage?: boolean;
};

/** Throws a `Failure` where a path cannot be read. */
export async function readManifestObjects(
  paths: readonly string[],
  { ports, namespace, skipsDamage = false }: Reading,
): Promise<ManifestObjects> {
  const { files, unusable } = await readInput(paths, ports);
  const names = files.map(({ name }) => name);
  const roots = skipsDamage ? dumpRoots([...names, ...unusable]) : [];
  const isOfDump = (path: string) => roots.some((root) => path.startsWith(root));
  const outside = unusable.filter((line) => !isOfDump(line));
  if (outside.length > 0) throw new Failure('usage', 'UnusableInput', outside.join('; '));
  const { manifests, problems, foreign, nonObjectFiles } = readManifests(files, namespace);
  const ours = manifests.filter(({ isValid }) => isValid).map(({ object }) => object);
  const lines = (found: readonly Finding[]) => sortFindings(found, names).map(formatFinding);
  const isSkipped = ({ location }: Finding) => location !== undefined && isOfDump(location.file);
  return {
    objects: [...ours, ...foreign].filter(isNamed).map((object) => inNamespace(object, namespace)),
    problems: lines(problems.filter((one) => !isSkipped(one))),
    skipped: [...unusable, ...lines(problems.filter(isSkipped))],
    notes: [
      ...ignoredKinds([...manifests, ...foreign].map(({ kind }) => String(kind))),
      ...(nonObjectFiles.length === 0
        ? []
        : [`ignored documents that are not Kubernetes objects in ${nonObjectFiles.join(', ')}`]),
    ],
  };
}

/** `ignored 3 objects that change no config of a node: 2 Deployment, 1 Service`. */
function ignoredKinds(all: readonly string[]): readonly string[] {
  const ignored = all.filter((kind) => !PLANNED_KINDS.has(kind));
  if (ignored.length === 0) return [];
  const kinds = [...new Set(ignored)].sort(compareBytes);
  const list = kinds.map((kind) => `${ignored.filter((one) => one === kind).length} ${kind}`);
  return [`ignored ${counted(ignored.length, 'object')} that change no config of a node: ${list.join(', ')}`];
}

/** What configs come from, nodes, and what drains depend on. */
const PLANNED_KINDS: ReadonlySet<string> = new Set([
  ...[...CONFIG_KINDS, machineConfig].map(({ kind }) => kind),
  ...[configMap, pod, podDisruptionBudget, daemonSet].map(({ kind }) => kind),
]);

/** Every object of the API has a name; other documents were reported, or are none of ours. */
function isNamed(object: JsonObject): object is JsonObject & SnapshotObject {
  const { apiVersion, kind, metadata } = object;
  return (
    typeof apiVersion === 'string' &&
    typeof kind === 'string' &&
    isObject(metadata) &&
    typeof metadata.name === 'string'
  );
}

/** Manifests may leave the namespace to kubectl's context; ConfigMaps of ours are in that of the components. */
function inNamespace(object: SnapshotObject, namespace: string): SnapshotObject {
  if (object.kind !== 'ConfigMap' || object.metadata.namespace !== undefined) return object;
  return { ...object, metadata: { ...object.metadata, namespace } };
}
