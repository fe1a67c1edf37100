/**
 * One node's journey: a controller with one key, the node's own name.
 *
 *     observe ─> decide ─> do that one thing ─> report ─┐
 *        ^                                              │ until there is nothing to do but to wait
 *        └──────────────────────────────────────────────┘
 *
 * It watches its own Node, its own MachineConfigNode and two single objects, and never anybody else's. All that must
 * survive is on the disk and on the Node: kill it at any instruction, and the next one goes on.
 */
import {
  annotations,
  type ControllerConfig,
  controllerConfig as controllerConfigKind,
  type MachineConfigNode,
  type MachineConfiguration,
  machineConfigNode as machineConfigNodeKind,
  machineConfiguration as machineConfigurationKind,
} from '../../api/index.ts';
import { Failure } from '../../base/errors.ts';
import { jsonEqual } from '../../base/json.ts';
import {
  after,
  type Cache,
  type Controller,
  done,
  type Enqueue,
  type Next,
} from '../../kubernetes/client/index.ts';
import { type Node, node as nodeKind } from '../../kubernetes/types/index.ts';
import type { NodeConfig } from '../plan/index.ts';
import { carryOut } from './carry-out.ts';
import { CLUSTER_UNREACHABLE } from './cluster-config.ts';
import type { DaemonContext } from './context.ts';
import { decide } from './decide.ts';
import { DriftWatch } from './drift.ts';
import { finalizeWords } from './first-look.ts';
import { knownConfig, type Memory, neededConfig, newMemory, type Observation, observe } from './observe.ts';
import { again, failed, type TickOutcome, tellable } from './outcome.ts';
import { Reporter } from './report.ts';
import { syncFromController } from './side-sync.ts';

/** More than an update has, undone and done again. Whoever needs more is asked to wait a little. */
const MAX_TICKS = 500;
const BREATH_MS = 1_000;

export function createDaemon(context: DaemonContext): Controller {
  const { caches, nodeName } = context;
  const named = (name: string) => ({ fieldSelector: `metadata.name=${name}` });
  const sources: Sources = {
    nodes: caches.of(nodeKind, named(nodeName)),
    machineConfigNodes: caches.of(machineConfigNodeKind, named(nodeName)),
    machineConfigurations: caches.of(machineConfigurationKind, named(SETTINGS)),
    controllerConfigs: caches.of(controllerConfigKind, named(CONTROLLER)),
  };
  const waker: Waker = { wake: () => undefined, isHeard: false };
  const daemon = new Daemon(context, sources, waker);
  return {
    name: 'daemon',
    workers: 1,
    // None is waited for: what a power cut left half done cannot wait for the cluster.
    caches: [],
    watch(enqueue) {
      waker.wake = () => enqueue(nodeName);
      follow(sources, nodeName, enqueue);
      enqueue(nodeName);
      Promise.all(Object.values(sources).map(({ synced }) => synced)).then(
        () => {
          waker.isHeard = true;
          enqueue(nodeName);
        },
        // They only end with the process.
        () => undefined,
      );
    },
    reconcile: () => daemon.reconcile(),
  };
}

const SETTINGS = 'cluster';
const CONTROLLER = 'machine-config-controller';

type Sources = {
  readonly nodes: Cache<Node>;
  readonly machineConfigNodes: Cache<MachineConfigNode>;
  readonly machineConfigurations: Cache<MachineConfiguration>;
  readonly controllerConfigs: Cache<ControllerConfig>;
};

/** `isHeard`: all that the daemon follows is here. */
type Waker = { wake: () => void; isHeard: boolean };

/** What we write ourselves is no news: a node that fails would wake itself by saying so. */
function follow(sources: Sources, nodeName: string, enqueue: Enqueue): void {
  sources.nodes.onChange(({ before, after: node }) => {
    if (before === undefined || node === undefined || hasNews(before, node)) enqueue(nodeName);
  });
  sources.machineConfigNodes.onChange(({ before, after: node }) => {
    if (node !== undefined && !jsonEqual(before?.spec, node.spec)) enqueue(nodeName);
  });
  sources.machineConfigurations.onChange(() => enqueue(nodeName));
  sources.controllerConfigs.onChange(() => enqueue(nodeName));
}

const OTHERS_WORDS = [
  annotations.desiredConfig,
  annotations.desiredImage,
  annotations.lastAppliedDrain,
  annotations.drain,
];

function hasNews(before: Node, node: Node): boolean {
  return (
    before.spec?.unschedulable !== node.spec?.unschedulable ||
    before.metadata.deletionTimestamp !== node.metadata.deletionTimestamp ||
    OTHERS_WORDS.some((key) => before.metadata.annotations?.[key] !== node.metadata.annotations?.[key])
  );
}

class Daemon {
  readonly #context: DaemonContext;
  readonly #sources: Sources;
  readonly #memory: Memory = newMemory();
  readonly #reporter: Reporter;
  readonly #drift: DriftWatch;
  readonly #waker: Waker;

  constructor(context: DaemonContext, sources: Sources, waker: Waker) {
    this.#context = context;
    this.#sources = sources;
    this.#waker = waker;
    this.#reporter = new Reporter(context, sources, () => waker.isHeard);
    this.#drift = new DriftWatch(context, this.#memory, () => waker.wake());
  }

  async reconcile(): Promise<Next> {
    const { env, settings } = this.#context;
    for (let count = 0; count < MAX_TICKS; count++) {
      if (env.signal.aborted) return done;
      const outcome = await this.#tick();
      if (outcome.words !== undefined) this.#reporter.annotate(outcome.words);
      const isTold = await this.#reporter.report(outcome.moments);
      const { next } = outcome;
      if (next === 'again') {
        if (isTold || outcome.restsOnWords !== true) continue;
        return after(settings.reportRetryMs, TELL);
      }
      if (next.kind === 'failed') throw next.error;
      return isTold ? next : noLaterThan(next, settings.reportRetryMs);
    }
    return after(BREATH_MS, 'a little');
  }

  async #tick(): Promise<TickOutcome> {
    try {
      await this.#sync();
      const { isHeard } = this.#waker;
      const seen = await observe(this.#context, this.#memory, { node: this.#reporter.node(), isHeard });
      const decision = decide(seen);
      if (seen.disk.journal !== undefined) this.#drift.stop(seen);
      if (decision.kind === 'idle' && decision.isUpToDate) {
        const config = await neededConfig(this.#context, this.#memory, seen);
        if (await this.#watch(seen, config)) return again();
      }
      const outcome = await carryOut(decision, {
        context: this.#context,
        memory: this.#memory,
        seen,
        machineConfiguration: this.#sources.machineConfigurations.get({ name: SETTINGS }),
      });
      // Whoever mends what is wrong need not wait for the next try.
      if (isFailed(outcome) && seen.disk.journal === undefined) {
        await this.#watch(seen, knownConfig(this.#memory, seen));
      }
      return outcome;
    } catch (error) {
      // That the cluster cannot be asked says nothing about the node.
      if (error instanceof Failure && error.reason === CLUSTER_UNREACHABLE) throw error;
      const text = tellable(error);
      if (text === undefined) throw error;
      return failed({ error: text });
    }
  }

  /** Certificates and credentials, whatever else is under way. */
  async #sync(): Promise<void> {
    const node = this.#reporter.node();
    const controllerConfig = this.#sources.controllerConfigs.get({ name: CONTROLLER });
    if (node === undefined || !this.#waker.isHeard) return;
    if (this.#memory.isCleanedUp) this.#reporter.annotate(finalizeWords(this.#memory, node));
    const synced = await syncFromController(this.#context, node, controllerConfig);
    if (synced !== undefined) this.#reporter.annotate(synced);
  }

  /** Watched is the config that the node has, as long as no update changes it. Whether that begins now. */
  async #watch(seen: Observation, config: NodeConfig | undefined): Promise<boolean> {
    return config !== undefined && (await this.#drift.start(config, seen));
  }
}

function isFailed({ next }: TickOutcome): boolean {
  return next !== 'again' && next.kind === 'failed';
}

const TELL = 'until the cluster can be told';

function noLaterThan(next: Next, delayMs: number): Next {
  return next.kind === 'after' && next.delayMs < delayMs ? next : after(delayMs, TELL);
}
