/** The pools that a MachineConfig concerns. */
import {
  type MachineConfig,
  type MachineConfigPool,
  machineConfigPool as machineConfigPoolKind,
} from '../api/index.ts';
import { jsonEqual } from '../base/json.ts';
import { isRendered } from '../config/render/index.ts';
import type { Cache, Change } from '../kubernetes/client/index.ts';
import { matchesSelector } from '../kubernetes/meta/index.ts';

/** Who selects it now or did. None where nothing has changed that is rendered. */
export function selectingPools(
  { before, after }: Change<MachineConfig>,
  pools: Cache<MachineConfigPool>,
): ReadonlySet<string> {
  const names = new Set<string>();
  if (isSameSource({ before, after })) return names;
  for (const machineConfig of [before, after]) {
    if (machineConfig === undefined || isRendered(machineConfig.metadata)) continue;
    for (const pool of pools.all()) {
      if (matchesSelector(pool.spec.machineConfigSelector, machineConfig.metadata.labels)) {
        names.add(pool.metadata.name);
      }
    }
  }
  return names;
}

/** Who made it: a rendered one that somebody deleted or changed is made again by its pool. */
export function owningPools(change: Change<MachineConfig>): readonly string[] {
  // One that is new was made by its pool a moment ago.
  if (change.before === undefined || isSameSource(change)) return [];
  return [change.before, change.after].flatMap((machineConfig) =>
    (machineConfig?.metadata.ownerReferences ?? [])
      .filter(({ kind }) => kind === machineConfigPoolKind.kind)
      .map(({ name }) => name),
  );
}

function isSameSource({ before, after }: Change<MachineConfig>): boolean {
  if (before === undefined || after === undefined) return false;
  return jsonEqual(before.spec, after.spec) && jsonEqual(before.metadata.labels, after.metadata.labels);
}
