/**
 * `DIR/cluster.json`: the little that an embedded cluster remembers of itself beside its objects.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, own } from '../../base/json.ts';
import { isMachineName, type MachineName } from './machine-names.ts';

type ClusterFile = {
  /** Whether all was once as it should be: every node Ready, every pool Updated. Until then each start is a first one. */
  readonly wasReady: boolean;
  readonly registryPort?: number;
  /** Its machines, also those whose folders are gone or not there yet. */
  readonly machines: readonly MachineName[];
};

/** What cannot be read is forgotten: the folders of machines tell the most important part of it. */
export function readClusterFile(dataDir: string): ClusterFile {
  try {
    const value: unknown = JSON.parse(readFileSync(pathOf(dataDir), 'utf8'));
    const port = isObject(value) ? own(value, 'registryPort') : undefined;
    const machines = isObject(value) ? own(value, 'machines') : undefined;
    return {
      machines: Array.isArray(machines) ? machines.filter(isMachineName) : [],
      wasReady: isObject(value) && own(value, 'wasReady') === true,
      ...(typeof port === 'number' && Number.isInteger(port) ? { registryPort: port } : {}),
    };
  } catch {
    return { wasReady: false, machines: [] };
  }
}

export function writeClusterFile(dataDir: string, file: ClusterFile): void {
  const path = pathOf(dataDir);
  writeFileSync(`${path}.new`, `${JSON.stringify(file, undefined, 2)}\n`);
  renameSync(`${path}.new`, path);
}

function pathOf(dataDir: string): string {
  return join(dataDir, 'cluster.json');
}
