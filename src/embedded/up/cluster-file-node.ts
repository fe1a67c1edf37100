/**
 * `DIR/cluster.json`: the state of an embedded cluster beside its objects.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, own } from '../../base/json.ts';
import { isMachineName, type MachineName } from './machine-names.ts';

export type ClusterFile = {
  /** Whether all nodes were once Ready and all pools Updated. Until then each start counts as the first. */
  readonly wasReady: boolean;
  readonly registryPort?: number;
  /** Of the machine config server. */
  readonly serverPort?: number;
  /** Its machines, including those without a directory. */
  readonly machines: readonly MachineName[];
};

/** An unreadable file counts as empty: the directories of machines hold the most important part. */
export function readClusterFile(dataDir: string): ClusterFile {
  try {
    const value: unknown = JSON.parse(readFileSync(pathOf(dataDir), 'utf8'));
    const machines = isObject(value) ? own(value, 'machines') : undefined;
    return {
      machines: Array.isArray(machines) ? machines.filter(isMachineName) : [],
      wasReady: isObject(value) && own(value, 'wasReady') === true,
      ...portIn(value, 'registryPort'),
      ...portIn(value, 'serverPort'),
    };
  } catch {
    return { wasReady: false, machines: [] };
  }
}

function portIn<Key extends string>(value: unknown, key: Key): { readonly [key in Key]?: number } {
  const port = isObject(value) ? own(value, key) : undefined;
  // The key is the one that the type names.
  return typeof port === 'number' && Number.isInteger(port)
    ? ({ [key]: port } as { [key in Key]: number })
    : {};
}

export function writeClusterFile(dataDir: string, file: ClusterFile): void {
  const path = pathOf(dataDir);
  writeFileSync(`${path}.new`, `${JSON.stringify(file, undefined, 2)}\n`);
  renameSync(`${path}.new`, path);
}

function pathOf(dataDir: string): string {
  return join(dataDir, 'cluster.json');
}
