/**
 * Which MachineConfigs make up a pool, and in which order.
 */
import { labels, type MachineConfig, type MachineConfigPool, matchesSelector } from '../api/index.ts';
import { compareBytes } from '../json.ts';

/** The prefix of every rendered MachineConfig's name. */
export const RENDERED_PREFIX = 'rendered-';

/**
 * The MachineConfigs that the pool's selector picks, in merge order: those of role worker by name, then all
 * others by name, later ones winning. So what belongs to a custom pool beats what it inherits from the
 * workers, whatever the numbers in the names say.
 */
export function selectSources(
  pool: MachineConfigPool,
  machineConfigs: readonly MachineConfig[],
): readonly MachineConfig[] {
  const selector = pool.spec.machineConfigSelector;
  return machineConfigs
    .filter((source) => !isRendered(source) && matchesSelector(selector, source.metadata.labels))
    .toSorted((a, b) => rank(a) - rank(b) || compareBytes(a.metadata.name, b.metadata.name));
}

/**
 * Rendered MachineConfigs are results and never sources. They carry no labels, but a selector such as
 * `role notin (…)` would pick them all the same.
 */
export function isRendered(source: MachineConfig): boolean {
  return (
    source.metadata.name.startsWith(RENDERED_PREFIX) && Object.keys(source.metadata.labels ?? {}).length === 0
  );
}

function rank(source: MachineConfig): number {
  return source.metadata.labels?.[labels.role] === 'worker' ? 0 : 1;
}
