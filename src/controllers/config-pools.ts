/** The pools that are affected by a change of a MachineConfig. */
import {
  annotations,
  type MachineConfig,
  type MachineConfigPool,
  machineConfigPool as machineConfigPoolKind,
} from '../api/index.ts';
import { jsonEqual } from '../base/json.ts';
import { isRendered } from '../config/render/index.ts';
import type { Cache, Change } from '../kubernetes/client/index.ts';
import { matchesSelector } from '../kubernetes/meta/index.ts';

/** The pools that select it, before or after. None where nothing has changed that is rendered. */
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

/** The owners of a rendered MachineConfig that was deleted or modified: it has to be restored. */
export function owningPools(change: Change<MachineConfig>): readonly string[] {
  // A new one was just created for its pool.
  if (change.before === undefined || isSameSource(change)) return [];
  return [change.before, change.after].flatMap((machineConfig) =>
    (machineConfig?.metadata.ownerReferences ?? [])
      .filter(({ kind }) => kind === machineConfigPoolKind.kind)
      .map(({ name }) => name),
  );
}

function isSameSource({ before, after }: Change<MachineConfig>): boolean {
  if (before === undefined || after === undefined) return false;
  return jsonEqual(renderedFrom(before), renderedFrom(after));
}

function renderedFrom({ spec, metadata }: MachineConfig) {
  const skipped = metadata.annotations?.[annotations.skipPreflight];
  return [spec, metadata.labels, skipped];
}
