/** `-f FILE` and `--delete KIND/NAME`: the change that a command is about. */
import { counted, printableLine } from '../../base/text/index.ts';
import type { Deletion, SnapshotChange, SnapshotObject } from '../../insight/index.ts';
import { namespaceOrUsual } from '../namespace-option.ts';
import { throwUsageError } from '../objects/run-in-cluster.ts';
import type { Ports } from '../ports.ts';
import { parseDeletion } from './deletions.ts';
import { readManifestObjects } from './read-manifest-objects.ts';

export type ChangeOptions = {
  readonly filename?: readonly string[];
  readonly delete?: readonly string[];
  /** Of Millwright. */
  readonly namespace?: string;
};

type Reading = {
  readonly ports: Ports;
  /** What follows from problems: `nothing planned`. */
  readonly otherwise: string;
};

/** Undefined where it has problems, which are printed. Throws a `Failure` where it cannot be read. */
export async function readChange(
  options: ChangeOptions,
  { ports, otherwise }: Reading,
): Promise<SnapshotChange | undefined> {
  const namespace = namespaceOrUsual(options);
  const deleted = (options.delete ?? []).map((text) => parseDeletion(text, namespace));
  const { filename = [] } = options;
  const { objects, problems, notes } = await readManifestObjects(filename, { ports, namespace });
  const print = (line: string) => ports.stderr(`${printableLine(line)}\n`);
  for (const line of [...problems, ...notes.map((note) => `note: ${note}`)]) print(line);
  if (problems.length > 0) {
    print(`${counted(problems.length, 'problem')}, ${otherwise}`);
    return undefined;
  }
  refuseContradictions(objects, deleted);
  if (filename.length > 0 && objects.length === 0 && deleted.length === 0) {
    print('note: the input has no objects');
  }
  return { applied: objects, deleted };
}

function refuseContradictions(applied: readonly SnapshotObject[], deleted: readonly Deletion[]): void {
  for (const { kind, name, namespace } of deleted) {
    const isApplied = applied.some(
      (one) => one.kind === kind && one.metadata.name === name && one.metadata.namespace === namespace,
    );
    if (isApplied) throwUsageError(`${kind}/${name} is given with -f and with --delete: give it once`);
  }
}
