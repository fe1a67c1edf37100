/**
 * Which MachineConfigs make up a pool, and in which order.
 */
import { labels, type MachineConfig, type MachineConfigPool } from '../../api/index.ts';
import { compareBytes } from '../../base/json.ts';
import { matchesSelector, type ObjectMeta } from '../../kubernetes/meta/index.ts';
import type { SourceCheck } from './check-source.ts';

/** The prefix of every rendered MachineConfig's name. */
export const RENDERED_PREFIX = 'rendered-';

/** A source that is at least what its kind says, so that it can be selected. */
export type SelectedSource = SourceCheck & { readonly machineConfig: MachineConfig };

/**
 * The MachineConfigs that the pool's selector picks, in merge order: those of role worker by name, then all
 * others by name, later ones winning. So what belongs to a custom pool beats what it inherits from the
 * workers, whatever the numbers in the names say.
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
 * Rendered MachineConfigs are results and never sources. They carry no labels, but a selector such as
 * `role notin (…)` would pick them all the same.
 */
export function isRendered({ name, labels: given }: ObjectMeta): boolean {
  return name.startsWith(RENDERED_PREFIX) && Object.keys(given ?? {}).length === 0;
}

function rank({ labels: given }: ObjectMeta): number {
  return given?.[labels.role] === 'worker' ? 0 : 1;
}
