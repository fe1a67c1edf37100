/**
 * `millwright pause`, `resume`, `retry` and `uncordon`: gather, decide (`insight/hands`), say what will happen, do it.
 */
import {
  type MachineConfig,
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
  machineConfiguration as machineConfigurationKind,
} from '../../api/index.ts';
import { type Env, silentLog, systemClock, systemRandom } from '../../base/env.ts';
import { didYouMean, formatMilliTimestamp, printableLine } from '../../base/text/index.ts';
import {
  decidePause,
  decideResume,
  decideRetryRequest,
  decideUncordon,
  type FleetSnapshot,
  type HandDecision,
  type KnownConfigs,
  nodeView,
  poolView,
} from '../../insight/index.ts';
import {
  type AnyObject,
  createKube,
  isConflict,
  type Kube,
  type ResourceOf,
} from '../../kubernetes/client/index.ts';
import { nameOf } from '../../kubernetes/meta/index.ts';
import { node as nodeKind } from '../../kubernetes/types/index.ts';
import type { ClusterOptions } from '../cluster-options.ts';
import { listFleet, snapshotOf } from '../fleet-source.ts';
import { runInCluster, throwUsageError } from '../objects/run-in-cluster.ts';
import type { Ports } from '../ports.ts';

export type HandOptions = ClusterOptions & { readonly dryRun?: boolean };
export type RetryOptions = HandOptions & { readonly force?: boolean };

type Program = { readonly ports: Ports; readonly version: string };

export function pauseCommand(pool: string, options: HandOptions, program: Program): Promise<number> {
  return act(machineConfigPoolKind, pool, { options, program }, async ({ snapshot }) =>
    decidePause(poolView(snapshot, pool) ?? noSuch('pool', pool, snapshot.pools)),
  );
}

export function resumeCommand(pool: string, options: HandOptions, program: Program): Promise<number> {
  return act(machineConfigPoolKind, pool, { options, program }, async ({ snapshot, kube }) => {
    const view = poolView(snapshot, pool) ?? noSuch('pool', pool, snapshot.pools);
    const configs = view.summary.nodes.map(({ current }) => current);
    return decideResume(view, await knownConfigs(kube, [view.tally.target.config, ...configs]));
  });
}

export function retryCommand(node: string, options: RetryOptions, program: Program): Promise<number> {
  return act(nodeKind, node, { options, program }, async ({ snapshot }) =>
    decideRetryRequest(nodeView(snapshot, node) ?? noSuch('node', node, snapshot.nodes), {
      isForced: options.force === true,
      id: formatMilliTimestamp(systemClock.now()),
    }),
  );
}

export function uncordonCommand(node: string, options: HandOptions, program: Program): Promise<number> {
  return act(nodeKind, node, { options, program }, async ({ snapshot }) =>
    decideUncordon(nodeView(snapshot, node) ?? noSuch('node', node, snapshot.nodes)),
  );
}

type Seen = { readonly snapshot: FleetSnapshot; readonly kube: Kube };

/** How often it is decided again because the object has changed meanwhile. */
const MAX_TRIES = 5;

async function act<T extends AnyObject>(
  resource: ResourceOf<T>,
  name: string,
  { options, program }: { readonly options: HandOptions; readonly program: Program },
  decide: (seen: Seen) => Promise<HandDecision>,
): Promise<number> {
  const { ports, version } = program;
  return await runInCluster(options, ports, async ({ transport, reportError }) => {
    const { signal } = new AbortController();
    const env: Env = { clock: systemClock, random: systemRandom, log: silentLog, signal };
    const userAgent = `millwright/${version}`;
    const kube = createKube({ transport, env, fieldManager: 'millwright', userAgent });
    const print = (line: string) => ports.stdout(`${printableLine(line)}\n`);
    for (let tries = 1; ; tries++) {
      const snapshot = snapshotOf(await listFleet(transport, env), env.clock.now());
      const decision = await decide({ snapshot, kube });
      if (decision.kind === 'refused') return reportError(decision.message);
      const object = `${resource.kind.toLowerCase()}/${name}`;
      // Said before it is done, and once.
      if (tries === 1) for (const line of decision.lines) print(line);
      if (decision.kind === 'unchanged') return;
      if (options.dryRun === true) return print(`${object} ${decision.planned} (dry run)`);
      try {
        await kube.patch(resource, { name }, { type: 'merge', body: decision.patch });
      } catch (error) {
        if (!isConflict(error) || tries >= MAX_TRIES) throw error;
        continue;
      }
      return print(`${object} ${decision.done}`);
    }
  });
}

function noSuch(kind: 'pool' | 'node', name: string, objects: Iterable<AnyObject>): never {
  const known = [...objects].map(nameOf).sort();
  const shown =
    known.length > MAX_NAMES ? [...known.slice(0, MAX_NAMES), `… (${known.length} in all)`] : known;
  return throwUsageError(
    `no such ${kind}: ${name}${didYouMean(name, known)}; ${kind}s: ${shown.join(', ') || 'none'}`,
  );
}

const MAX_NAMES = 20;
/** Nodes of a pool have few configs at a time. */
const MAX_CONFIGS = 10;

/** Of those names, as far as they exist. */
async function knownConfigs(kube: Kube, names: readonly string[]): Promise<KnownConfigs> {
  const found = new Map<string, MachineConfig>();
  const wanted = [...new Set(names)].filter((name) => name !== '').slice(0, MAX_CONFIGS);
  await Promise.all(
    wanted.map(async (name) => {
      const config = await kube.get(machineConfigKind, { name });
      if (config !== undefined) found.set(name, config);
    }),
  );
  const machineConfiguration = await kube.get(machineConfigurationKind, { name: 'cluster' });
  return { machineConfig: (name) => found.get(name), machineConfiguration };
}
