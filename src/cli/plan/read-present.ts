/**
 * `--from PATH`: the objects that a change is planned or simulated against. A plan against a part of them would be wrong, so manifests that
 * cannot be read are an end of it; of a dump, which is often damaged or cut off, what is missing is named.
 */
import { counted, printableLine } from '../../base/text/index.ts';
import type { SnapshotObject } from '../../insight/index.ts';
import type { Ports } from '../ports.ts';
import { readManifestObjects } from './read-manifest-objects.ts';

type Purpose = 'plan' | 'simulation';
const DONE = { plan: 'planned', simulation: 'simulated' } as const;

/** Undefined where manifests have problems, which are printed. Throws a `Failure` where they cannot be read. */
export async function readPresent(
  from: readonly string[],
  {
    ports,
    namespace,
    purpose,
  }: { readonly ports: Ports; readonly namespace: string; readonly purpose: Purpose },
): Promise<readonly SnapshotObject[] | undefined> {
  const { objects, problems, skipped } = await readManifestObjects(from, {
    ...{ ports, namespace },
    skipsDamage: true,
  });
  const print = (line: string) => ports.stderr(`${printableLine(line)}\n`);
  for (const line of problems) print(line);
  if (problems.length > 0) {
    print(`${counted(problems.length, 'problem')} in what --from names, nothing ${DONE[purpose]}`);
    return undefined;
  }
  if (skipped.length > 0) {
    print(
      `millwright: --from ${from.join(', ')}: ${counted(skipped.length, 'problem')}, skipped in the ${purpose}:`,
    );
    for (const line of skipped.slice(0, MAX_NAMED)) print(`  ${line}`);
    if (skipped.length > MAX_NAMED) print(`  and ${skipped.length - MAX_NAMED} more`);
  }
  return objects;
}

/** A dump of another version may have many. */
const MAX_NAMED = 10;
