/**
 * Selects and orders the MachineConfigs of a pool.
 */
import { labels, type MachineConfig, type MachineConfigPool } from '../../api/index.ts';
import { compareBytes } from '../../base/json.ts';
import { matchesSelector, type ObjectMeta } from '../../kubernetes/meta/index.ts';
import type { SourceCheck } from './check-source.ts';

/** The prefix of every rendered MachineConfig's name. */
export const RENDERED_PREFIX = 'rendered-';

/** A source that conforms to its schema, so that it can be selected. */
export type SelectedSource = SourceCheck & { readonly machineConfig: MachineConfig };

/**
 * The MachineConfigs that the pool's selector matches, in merge order: those of role worker by name, then all others
 * by name; later ones win. So a custom pool's own configs override those inherited from worker, whatever the numbers
 * in their names.
 */
export function selectSources(
  pool: MachineConfigPool,
  sources: readonly SourceCheck[],
): readonly SelectedSource[] {
  const selector = pool.spec.machineConfigSelector;
  return sources
    .filter((source): source is SelectedSource => source.machineConfig !== undefined)
    .filter(
      ({ machineConfig: { metadata } }) =>
        !isRendered(metadata) && matchesSelector(selector, metadata.labels),
    )
    .toSorted((a, b) => {
      const [left, right] = [a.machineConfig.metadata, b.machineConfig.metadata];
      return rank(left) - rank(right) || compareBytes(left.name, right.name);
    });
}

/**
 * Rendered MachineConfigs are never sources. They have no labels, but a selector such as `role notin (…)` would match
 * them.
 */
export function isRendered({ name, labels: given }: ObjectMeta): boolean {
  return name.startsWith(RENDERED_PREFIX) && Object.keys(given ?? {}).length === 0;
}

function rank({ labels: given }: ObjectMeta): number {
  return given?.[labels.role] === 'worker' ? 0 : 1;
}
