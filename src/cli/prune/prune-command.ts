/**
 * `millwright prune`: deletes rendered configs that nothing refers to.
 */

import { machineConfigPool as machineConfigPoolKind } from '../../api/index.ts';
import { type Env, silentLog, systemClock, systemRandom } from '../../base/env.ts';
import { didYouMean } from '../../base/text/index.ts';
import {
  listRenderedConfigs,
  lookForPruning,
  type PruneOptions,
  pruneConfigs,
} from '../../controllers/index.ts';
import { pruneList, pruneText } from '../../insight/index.ts';
import { createKube, type Kube } from '../../kubernetes/client/index.ts';
import { nameOf } from '../../kubernetes/meta/index.ts';
import { ownerName, type PruneDecision, type RenderedConfig } from '../../rollout/index.ts';
import type { ClusterOptions } from '../cluster-options.ts';
import { spanMs } from '../duration.ts';
import { runInCluster, throwUsageError } from '../objects/run-in-cluster.ts';
import type { Ports } from '../ports.ts';

export type PruneCommandOptions = ClusterOptions & {
  readonly dryRun?: boolean;
  readonly keep: string;
  readonly pool?: string;
  readonly minAge: string;
  readonly output: 'text' | 'json';
};

type Outcome = PruneDecision & { readonly refused?: string };

/** Returns the exit code. */
export function pruneCommand(
  options: PruneCommandOptions,
  { ports, version }: { readonly ports: Ports; readonly version: string },
): Promise<number> {
  return runInCluster(options, ports, async ({ transport, reportError }) => {
    const count = keptCount(options.keep);
    const minAgeMs = spanMs('--min-age', options.minAge);
    const stopping = new AbortController();
    ports.onStop(() => stopping.abort());
    const env: Env = { clock: systemClock, random: systemRandom, log: silentLog, signal: stopping.signal };
    const userAgent = `millwright/${version}`;
    const kube = createKube({ transport, env, fieldManager: 'millwright', userAgent });
    const configs = await chosenConfigs(kube, options.pool);
    const dryRun = options.dryRun === true;
    const settings = { keep: () => count, minAgeMs, nowMs: () => env.clock.now() };
    const { outcomes, error } = await prune(kube, configs, { ...settings, dryRun });
    const list = pruneList(outcomes, { dryRun });
    ports.stdout(
      options.output === 'json' ? `${JSON.stringify(list, null, 4)}\n` : `${pruneText(list).join('\n')}\n`,
    );
    if (error !== undefined) throw error;
    for (const { config, refused } of outcomes) {
      if (refused !== undefined) reportError(`${nameOf(config)} was not deleted: ${refused}`);
    }
  });
}

const MAX_KEPT = 1000;

function keptCount(text: string): number {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  return count <= MAX_KEPT
    ? count
    : throwUsageError(`--keep: ${JSON.stringify(text)} is not a number from 0 to ${MAX_KEPT}`);
}

async function chosenConfigs(kube: Kube, pool: string | undefined): Promise<readonly RenderedConfig[]> {
  const configs = await listRenderedConfigs(kube);
  if (pool === undefined) return configs;
  const known = (await kube.list(machineConfigPoolKind)).items.map(nameOf);
  if (!known.includes(pool)) {
    throwUsageError(`no pool ${pool}${didYouMean(pool, known)}; pools: ${known.join(', ') || 'none'}`);
  }
  return configs.filter((config) => ownerName(config) === pool);
}

type Pruning = PruneOptions & { readonly dryRun: boolean };

/** What was deleted before an error is shown, too. */
async function prune(
  kube: Kube,
  configs: readonly RenderedConfig[],
  pruning: Pruning,
): Promise<{ readonly outcomes: readonly Outcome[]; readonly error?: unknown }> {
  const first = await lookForPruning(kube, configs, pruning);
  if (pruning.dryRun) return { outcomes: first };
  const tried = new Map<string, Outcome>();
  let error: unknown;
  try {
    await pruneConfigs(kube, configs, {
      ...pruning,
      onPruned: (pruned) => tried.set(nameOf(pruned.config), pruned),
    });
  } catch (thrown) {
    error = thrown;
  }
  const outcomes = first.map((decision) => {
    const outcome = tried.get(nameOf(decision.config));
    if (outcome !== undefined) return outcome;
    // Something began to refer to it, or an error came first.
    return decision.reasons.length > 0 ? decision : { ...decision, refused: notTried(error) };
  });
  return error === undefined ? { outcomes } : { outcomes, error };
}

function notTried(error: unknown): string {
  return error === undefined ? 'something refers to it by now' : 'it was not its turn before the error';
}
