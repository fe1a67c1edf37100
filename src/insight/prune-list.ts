/**
 * What is pruned and kept of the rendered configs, as data and as text:
 *
 *     worker
 *       kept     rendered-worker-1f6a…   pool worker's target; worker-0 and 2 more run it
 *       deleted  rendered-worker-77b0…   nothing refers to it
 *     1 rendered config deleted, 1 kept
 */
import { counted, printableLine } from '../base/text/index.ts';
import { nameOf } from '../kubernetes/meta/index.ts';
import type { PruneDecision } from '../rollout/index.ts';

type PruneList = { readonly dryRun: boolean; readonly configs: readonly PrunedConfig[] };

type PrunedConfig = {
  readonly name: string;
  /** The pool that it was rendered for; '' where there is none. */
  readonly pool: string;
  readonly created: string;
  readonly action: 'keep' | 'delete';
  /** Why it is kept. */
  readonly reasons: readonly string[];
};

type Outcome = PruneDecision & { readonly refused?: string };

export function pruneList(
  decisions: readonly Outcome[],
  { dryRun }: { readonly dryRun: boolean },
): PruneList {
  return {
    dryRun,
    configs: decisions.map(({ config, pool, reasons, refused }) => {
      const why = refused === undefined ? reasons : [refused];
      const created = config.metadata.creationTimestamp ?? '';
      const action = why.length === 0 ? 'delete' : 'keep';
      return { name: nameOf(config), pool, created, action, reasons: why };
    }),
  };
}

const NO_POOL = 'no pool';

export function pruneText({ dryRun, configs }: PruneList): readonly string[] {
  if (configs.length === 0) return ['no rendered configs'];
  const deleted = dryRun ? 'would be deleted' : 'deleted';
  const width = Math.max(...configs.map(({ name }) => name.length));
  const line = ({ name, action, reasons }: PrunedConfig) => {
    const what = action === 'delete' ? deleted : 'kept';
    const why = reasons.length === 0 ? 'nothing refers to it' : reasons.join('; ');
    return printableLine(`  ${what.padEnd(deleted.length)}  ${name.padEnd(width)}  ${why}`);
  };
  const pools = [...new Set(configs.map(({ pool }) => pool))];
  const gone = configs.filter(({ action }) => action === 'delete').length;
  return [
    ...pools.flatMap((pool) => [
      printableLine(pool === '' ? NO_POOL : pool),
      ...configs.filter((config) => config.pool === pool).map(line),
    ]),
    `${counted(gone, 'rendered config')} ${deleted}, ${configs.length - gone} kept`,
  ];
}
