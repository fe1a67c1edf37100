/**
 * The daemon of one node: a controller with one key, the node's own name.
 *
 *     observe ─> decide ─> execute one action ─> report ─┐
 *        ^                                               │ until there is nothing to do but wait
 *        └───────────────────────────────────────────────┘
 *
 * It watches its own Node, its own MachineConfigNode, two singletons, and PinnedImageSets, which are few. All state that must survive is on the disk and on the
 * Node: the daemon may be killed at any instruction, and the next one continues.
 */
import {
  annotations,
  type ControllerConfig,
  controllerConfig as controllerConfigKind,
  type MachineConfigNode,
  type MachineConfiguration,
  machineConfigNode as machineConfigNodeKind,
  machineConfiguration as machineConfigurationKind,
  type PinnedImageSet,
  pinnedImageSet as pinnedImageSetKind,
} from '../../api/index.ts';
import { assert } from '../../base/errors.ts';
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
import { DROP_IN_PATH, wantedSets } from '../pinned/index.ts';
import { type NodeConfig, pathsOf } from '../plan/index.ts';
import type { ProgressEvent } from '../report/index.ts';
import type { DaemonContext } from './context.ts';
import { type Decision, decide } from './decide.ts';
import { isFetchObsolete } from './decide-fetch.ts';
import { isDamaged } from './decide-repair.ts';
import { DriftMonitor } from './drift.ts';
import { activeUpdate, execute } from './execute.ts';
import { fetchAhead } from './fetch-image.ts';
import { inspect } from './inspect.ts';
import { fetchedImage, type JournalPhase } from './journal.ts';
import { knownConfig, type Memory, newMemory, type Observation, observe, requireConfig } from './observe.ts';
import { again, failed, type TickOutcome, userMessage } from './outcome.ts';
import { Prefetcher } from './pinned-images/prefetcher.ts';
import { inspectState } from './repair-state.ts';
import { Reporter } from './reporter.ts';
import { dueAnswer } from './retry/decide-retry.ts';
import { finalizeAnnotation } from './start-up.ts';
import { syncCertificates } from './sync/certificates.ts';
import { diskConfigsAnnotation } from './sync/disk-configs.ts';
import { emitFailedFinalization, emitRepaired } from './update-events.ts';

/** More than an update takes, with its rollback. After that other work of the process has its turn. */
const MAX_TICKS = 500;
const YIELD_MS = 1_000;

export function createDaemon(context: DaemonContext): Controller {
  const { caches, nodeName } = context;
  const named = (name: string) => ({ fieldSelector: `metadata.name=${name}` });
  const sources: Sources = {
    nodes: caches.of(nodeKind, named(nodeName)),
    machineConfigNodes: caches.of(machineConfigNodeKind, named(nodeName)),
    machineConfigurations: caches.of(machineConfigurationKind, named(SETTINGS)),
    controllerConfigs: caches.of(controllerConfigKind, named(CONTROLLER)),
  };
  const waker: Waker = { wake: () => undefined, isSynced: false, hasSets: false };
  // None of the sources: an update never waits for images.
  const pinnedImageSets = caches.of(pinnedImageSetKind);
  const daemon = new Daemon(context, { ...sources, pinnedImageSets }, waker);
  return {
    name: 'daemon',
    workers: 1,
    // It waits for none: what a power cut left half applied cannot wait for the cluster.
    caches: [],
    watch(enqueue) {
      waker.wake = () => enqueue(nodeName);
      follow(sources, nodeName, enqueue);
      sources.nodes.onChange(({ before, after: node }) => {
        if (before !== undefined && node !== undefined && daemon.isOverwritten(before, node))
          enqueue(nodeName);
      });
      enqueue(nodeName);
      Promise.all(Object.values(sources).map(({ synced }) => synced)).then(
        () => {
          waker.isSynced = true;
          enqueue(nodeName);
        },
        // They only end with the process.
        () => undefined,
      );
      pinnedImageSets.onChange(() => enqueue(nodeName));
      pinnedImageSets.synced.then(
        () => {
          waker.hasSets = true;
          enqueue(nodeName);
        },
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

type DaemonSources = Sources & { readonly pinnedImageSets: Cache<PinnedImageSet> };

/** `isSynced`: all caches of the daemon have synced; `hasSets`: that of PinnedImageSets has. */
type Waker = { wake: () => void; isSynced: boolean; hasSets: boolean };

/** The daemon's own writes are ignored: a node that fails would wake itself by reporting it. */
function follow(sources: Sources, nodeName: string, enqueue: Enqueue): void {
  sources.nodes.onChange(({ before, after: node }) => {
    if (before === undefined || node === undefined || hasRelevantChange(before, node)) enqueue(nodeName);
  });
  sources.machineConfigNodes.onChange(({ before, after: node }) => {
    if (node !== undefined && !jsonEqual(before?.spec, node.spec)) enqueue(nodeName);
  });
  sources.machineConfigurations.onChange(() => enqueue(nodeName));
  sources.controllerConfigs.onChange(() => enqueue(nodeName));
}

/** Phases in which an update changes the machine, and may reboot it. */
const CHANGING: readonly JournalPhase[] = ['applying', 'undoing', 'verifying'];

const WATCHED_ANNOTATIONS = [
  annotations.desiredConfig,
  annotations.desiredImage,
  annotations.lastAppliedDrain,
  annotations.drain,
  annotations.fetchImage,
  annotations.pinnedImageSets,
  annotations.retry,
];

function hasRelevantChange(before: Node, node: Node): boolean {
  return (
    before.spec?.unschedulable !== node.spec?.unschedulable ||
    before.metadata.deletionTimestamp !== node.metadata.deletionTimestamp ||
    WATCHED_ANNOTATIONS.some((key) => before.metadata.annotations?.[key] !== node.metadata.annotations?.[key])
  );
}

class Daemon {
  readonly #context: DaemonContext;
  readonly #sources: DaemonSources;
  readonly #memory: Memory;
  readonly #reporter: Reporter;
  readonly #drift: DriftMonitor;
  readonly #waker: Waker;
  readonly #prefetcher: Prefetcher;
  /** Whether a config has the file that pins images: it may have thousands. */
  #dropIn: { readonly config: NodeConfig; readonly isTaken: boolean } | undefined;

  constructor(context: DaemonContext, sources: DaemonSources, waker: Waker) {
    this.#context = context;
    this.#memory = newMemory(context, () => waker.wake());
    this.#sources = sources;
    this.#waker = waker;
    this.#reporter = new Reporter(context, sources, () => waker.isSynced);
    this.#drift = new DriftMonitor(context, this.#memory, () => waker.wake());
    this.#prefetcher = new Prefetcher(context, () => waker.wake());
  }

  /** Whether another than this process has changed what the daemon reports on its Node. */
  isOverwritten(before: Node, node: Node): boolean {
    return this.#reporter.isOverwritten(before, node);
  }

  async reconcile(): Promise<Next> {
    const { env, settings } = this.#context;
    for (let count = 0; count < MAX_TICKS; count++) {
      if (env.signal.aborted) return done;
      const outcome = await this.#tick();
      if (outcome.annotations !== undefined) this.#reporter.annotate(outcome.annotations);
      const isReported = await this.#reporter.report([...outcome.progress, ...this.#prefetched()]);
      const { next } = outcome;
      if (next === 'again') {
        if (isReported || outcome.reliesOnReport !== true) continue;
        return after(settings.reportRetryMs, UNTIL_REPORTED);
      }
      if (next.kind === 'failed') throw next.error;
      return isReported ? next : noLaterThan(next, settings.reportRetryMs);
    }
    return after(YIELD_MS, 'to yield');
  }

  async #tick(): Promise<TickOutcome> {
    try {
      const { isSynced } = this.#waker;
      const snapshot = await observe(this.#context, this.#memory, { node: this.#reporter.node(), isSynced });
      await this.#sync(snapshot);
      const decision = await this.#decide(snapshot);
      await this.#stopFetch(snapshot, decision);
      if (snapshot.disk.journal !== undefined) this.#drift.stop(snapshot);
      if (decision.kind === 'idle' && decision.isUpToDate) {
        const config = await requireConfig(this.#context, this.#memory, snapshot);
        if (await this.#watch(snapshot, config)) return again();
      }
      const outcome = await execute(decision, {
        context: this.#context,
        memory: this.#memory,
        snapshot,
        machineConfiguration: this.#sources.machineConfigurations.get({ name: SETTINGS }),
      });
      // A repair by hand is noticed at once, before the next retry.
      if (isFailed(outcome) && snapshot.disk.journal === undefined) {
        await this.#watch(snapshot, knownConfig(this.#memory, snapshot));
      }
      return decision.kind === 'idle' && decision.isUpToDate
        ? await this.#withFetch(outcome, snapshot)
        : outcome;
    } catch (error) {
      const text = userMessage(error);
      if (text === undefined) throw error;
      return failed({ error: text });
    }
  }

  /** Takes the further facts that a decision may need. */
  async #decide(snapshot: Observation): Promise<Exclude<Decision, { readonly kind: 'inspect' }>> {
    const first = decide(snapshot);
    if (first.kind !== 'inspect') return first;
    const input = { context: this.#context, memory: this.#memory, snapshot };
    const inspected =
      first.what === 'state'
        ? { state: await inspectState(this.#context, this.#memory, snapshot) }
        : await inspect(activeUpdate(input), first.what);
    const decision = decide({ ...snapshot, inspected });
    assert(decision.kind !== 'inspect', 'one inspection is enough for a decision');
    return decision;
  }

  /** Before anything else of the daemon uses the OS tool, which does one thing at a time. */
  async #stopFetch({ process, disk, nodeAnnotations }: Observation, { kind }: Decision): Promise<void> {
    const requested = typeof nodeAnnotations === 'object' ? nodeAnnotations.fetch?.requested : undefined;
    const wanted = (disk.journal === undefined ? requested : fetchedImage(disk.journal)) ?? '';
    if (isFetchObsolete(process.fetch, { wanted, isStarting: kind === 'start-update' })) {
      await this.#memory.fetcher.stop();
    }
  }

  /** A node that has its desired config downloads the OS image of the next one. */
  async #withFetch(outcome: TickOutcome, snapshot: Observation): Promise<TickOutcome> {
    const { annotations: answer, next } = await fetchAhead(this.#context, this.#memory, snapshot);
    const annotated = answer === undefined ? outcome : { ...outcome, annotations: answer };
    return next === 'again' || next.kind === 'after' ? { ...annotated, next } : annotated;
  }

  /** Certificates and credentials, also during an update. */
  async #sync(snapshot: Observation): Promise<void> {
    const node = this.#reporter.node();
    const controllerConfig = this.#sources.controllerConfigs.get({ name: CONTROLLER });
    if (node === undefined || !this.#waker.isSynced) return;
    emitRepaired(this.#context, node, this.#memory);
    const answer = dueAnswer(snapshot);
    if (answer !== undefined) this.#reporter.annotate({ [annotations.retried]: answer });
    // Its configs may be what cannot be read.
    if (isDamaged(snapshot.disk)) return;
    this.#reporter.annotate(await diskConfigsAnnotation(this.#context, node, snapshot));
    if (this.#memory.isStartedUp) this.#syncFinalization(node);
    const synced = await syncCertificates(this.#context, this.#memory, { node, controllerConfig, snapshot });
    if (synced !== undefined) this.#reporter.annotate(synced);
    await this.#prefetch(node, snapshot);
  }

  /** Images that the node keeps, beside everything else. */
  async #prefetch(node: Node, { config, disk, process }: Observation): Promise<void> {
    if (!this.#waker.hasSets || !this.#memory.isStartedUp) return;
    const { pinnedImageSets } = this.#sources;
    await this.#prefetcher.follow({
      sets: wantedSets(node.metadata.annotations?.[annotations.pinnedImageSets], (name) =>
        pinnedImageSets.get({ name }),
      ),
      node,
      isDropInTaken: this.#isDropInTaken(config),
      isPaused:
        process.isRebootRequested || (disk.journal !== undefined && CHANGING.includes(disk.journal.phase)),
    });
  }

  #isDropInTaken(config: NodeConfig | undefined): boolean {
    if (config === undefined) return false;
    if (this.#dropIn?.config !== config) {
      this.#dropIn = { config, isTaken: pathsOf(config).includes(DROP_IN_PATH) };
    }
    return this.#dropIn.isTaken;
  }

  #prefetched(): readonly ProgressEvent[] {
    const { states } = this.#prefetcher;
    return states === undefined ? [] : [{ kind: 'pinned-images', sets: states }];
  }

  #syncFinalization(node: Node): void {
    const changed = finalizeAnnotation(this.#memory, node);
    const [failure] = Object.values(changed);
    if (failure) emitFailedFinalization(this.#context, node, failure);
    this.#reporter.annotate(changed);
  }

  /** Watches the node's config while no update changes it. Returns whether the watch begins now. */
  async #watch(snapshot: Observation, config: NodeConfig | undefined): Promise<boolean> {
    return config !== undefined && (await this.#drift.start(config, snapshot));
  }
}

function isFailed({ next }: TickOutcome): boolean {
  return next !== 'again' && next.kind === 'failed';
}

const UNTIL_REPORTED = 'until the cluster is reachable';

function noLaterThan(next: Next, delayMs: number): Next {
  if (next.kind !== 'after') return after(delayMs, UNTIL_REPORTED);
  return next.delayMs < delayMs ? next : { ...next, delayMs, why: UNTIL_REPORTED };
}
