/**
 * Can running nodes be updated from the pool's current rendered config to the new one? A change that requires
 * reprovisioning is rejected, with the source that causes it.
 */
import type { MachineConfig } from '../../api/index.ts';
import {
  type AllowedChanges,
  type IrreconcilableChange,
  irreconcilableChanges,
  type SourceProblem,
} from '../content/index.ts';
import { checkSource } from './check-source.ts';
import type { MergedSources } from './merge-sources.ts';
import type { Origin } from './origins.ts';

/** No problems if there is no current config to compare with. */
export function reconcileProblems(
  current: MachineConfig | undefined,
  merged: MergedSources,
  allowed: AllowedChanges,
): readonly SourceProblem[] {
  if (current === undefined) return [];
  const { machineConfig, config } = checkSource(current);
  // An unreadable current config does not block the new one, which replaces it.
  if (machineConfig === undefined || config === undefined) return [];
  const changes = irreconcilableChanges(
    { config, fips: machineConfig.spec?.fips ?? false },
    { config: merged.config, fips: merged.spec.fips },
    allowed,
  );
  return changes.map((change) => blame(change, machineConfig.metadata.name, merged.origins));
}

/** The source whose section differs; a change by omission has none. */
function blame(change: IrreconcilableChange, current: string, origins: readonly Origin[]): SourceProblem {
  const { path, reason, items } = change;
  const source = items === undefined ? settingSource(change, origins) : itemSource(items, origins);
  if (source !== undefined) {
    const message = `reconciliation failed between current config "${current}" and base config "${source}": ${reason}`;
    return { path, message, source };
  }
  const gone = items?.gone.map((name) => `${items.kind} ${name}`).join(', ') || path;
  const message = `render reconciliation error: ${reason}; component errors: ${gone} is part of "${current}" and of no MachineConfig any more`;
  return { path, message };
}

function itemSource(
  items: NonNullable<IrreconcilableChange['items']>,
  origins: readonly Origin[],
): string | undefined {
  const [name] = items.changed;
  return origins.find((origin) => origin.kind === items.kind && origin.name === name)?.source;
}

function settingSource({ path }: IrreconcilableChange, origins: readonly Origin[]): string | undefined {
  if (path !== 'spec.fips') return undefined;
  return origins.find(({ kind, name }) => kind === 'setting' && name === 'fips')?.source || undefined;
}
