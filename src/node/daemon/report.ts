/**
 * Tells the cluster what has happened: at most one write to the Node and one to the MachineConfigNode, and none where
 * they say it already. What cannot be told now is told later; no update fails by it.
 */
import {
  annotations,
  type MachineConfigNode,
  type MachineConfigNodeStatus,
  machineConfigNode as machineConfigNodeKind,
} from '../../api/index.ts';
import { Failure } from '../../base/errors.ts';
import { quoted } from '../../base/text/index.ts';
import { type AnyObject, type Cache, isNotFound } from '../../kubernetes/client/index.ts';
import { type Node, node as nodeKind } from '../../kubernetes/types/index.ts';
import { type Moment, nodeReport } from '../report/index.ts';
import type { DaemonContext } from './context.ts';

type ReporterCaches = {
  readonly nodes: Cache<Node>;
  readonly machineConfigNodes: Cache<MachineConfigNode>;
};

type Annotations = { readonly [key: string]: string | null };

/** More than an update has; the oldest are given up first, and what they said follows from the later ones. */
const MAX_UNSAID = 100;

export class Reporter {
  readonly #context: DaemonContext;
  readonly #caches: ReporterCaches;
  readonly #isHeard: () => boolean;
  #unsaid: Moment[] = [];
  #extra: Annotations = {};
  /** What the server last answered: the caches may not have heard of it yet. */
  #node: Node | undefined;
  #machineConfigNode: MachineConfigNode | undefined;

  constructor(context: DaemonContext, caches: ReporterCaches, isHeard: () => boolean) {
    this.#context = context;
    this.#caches = caches;
    this.#isHeard = isHeard;
  }

  /** As new as we know it. */
  node(): Node | undefined {
    return newer(this.#caches.nodes.get({ name: this.#context.nodeName }), this.#node);
  }

  /** Further annotations of ours, with the next report. */
  annotate(more: Annotations): void {
    this.#extra = { ...this.#extra, ...more };
  }

  /** Whether all of it has been told, this and what was left from before. */
  async report(moments: readonly Moment[]): Promise<boolean> {
    this.#unsaid = [...this.#unsaid, ...moments].slice(-MAX_UNSAID);
    // Whoever has not heard of the cluster cannot tell what it says already.
    if (!this.#isHeard()) return false;
    if (this.#unsaid.length === 0 && Object.keys(this.#extra).length === 0) return true;
    try {
      await this.#tell();
    } catch (error) {
      if (!(error instanceof Failure) || error.kind === 'cancelled') throw error;
      this.#context.log.warn(`could not report to the cluster, trying again later: ${error.message}`);
      return false;
    }
    this.#unsaid = [];
    return true;
  }

  async #tell(): Promise<void> {
    const { nodeName: name, env, featureGates, events } = this.#context;
    const node = this.node();
    if (node === undefined) return;
    const known = this.#caches.machineConfigNodes.get({ name });
    const machineConfigNode = newer(known, this.#machineConfigNode);
    const report = nodeReport({
      ...{ node, machineConfigNode, moments: this.#unsaid, nowMs: env.clock.now() },
      ...(featureGates === undefined ? {} : { featureGates }),
    });
    await this.#writeNode(node, { ...changedOnly(node, this.#extra), ...report.annotations });
    this.#extra = {};
    if (machineConfigNode !== undefined && report.status !== undefined) {
      await this.#writeStatus(machineConfigNode, report.status);
    }
    const about = { apiVersion: 'v1', kind: 'Node', name, ...uidOf(node) };
    for (const { type, reason, message } of report.events) {
      if (type === 'Normal') events.normal(about, reason, message);
      else events.warning(about, reason, message);
    }
  }

  async #writeNode(node: Node, changes: Annotations): Promise<void> {
    if (Object.keys(changes).length === 0) return;
    const { kube, nodeName: name } = this.#context;
    const body = { metadata: { annotations: changes } };
    this.#node = await kube.patch(nodeKind, { name }, { type: 'merge', body });
    this.#logTransition(node, changes);
  }

  #logTransition(before: Node, changes: Annotations): void {
    const { log, metrics, env } = this.#context;
    const state = changes[annotations.state];
    const reason = changes[annotations.reason] ?? before.metadata.annotations?.[annotations.reason] ?? '';
    if (typeof state !== 'string' && !(annotations.reason in changes)) return;
    const now = state ?? before.metadata.annotations?.[annotations.state] ?? '';
    if (now === 'Degraded') log.error(`Marking Degraded due to: ${quoted(reason)}`);
    if (now === 'Unreconcilable') log.error(`Marking Unreconcilable due to: ${reason}`);
    const last = before.metadata.annotations?.[annotations.state] ?? '';
    if (last !== '' && last !== now) log.line(`Transitioned from state: ${last} -> ${now}`);
    metrics.set('mcd_state', Math.floor(env.clock.now() / 1000), { state: now, reason });
  }

  async #writeStatus(before: MachineConfigNode, status: MachineConfigNodeStatus): Promise<void> {
    const { kube, nodeName: name } = this.#context;
    // In a merge patch a field that is left out stays.
    const gone = Object.keys(before.status ?? {}).filter((key) => !(key in status));
    const body = { status: { ...status, ...Object.fromEntries(gone.map((key) => [key, null])) } };
    try {
      this.#machineConfigNode = await kube.patch(
        machineConfigNodeKind,
        { name },
        { type: 'merge', body },
        { subresource: 'status' },
      );
    } catch (error) {
      // The operator makes it anew, and then we are told of it.
      if (!isNotFound(error, name)) throw error;
    }
  }
}

function changedOnly(node: Node, wanted: Annotations): Annotations {
  const before = node.metadata.annotations ?? {};
  return Object.fromEntries(Object.entries(wanted).filter(([key, value]) => (before[key] ?? null) !== value));
}

/** Of the same object the one with the later version; where it was made anew, the cache is right. */
function newer<T extends AnyObject>(cached: T | undefined, answered: T | undefined): T | undefined {
  if (cached === undefined || answered === undefined) return cached;
  if (cached.metadata.uid !== answered.metadata.uid) return cached;
  const isNewer = Number(answered.metadata.resourceVersion) > Number(cached.metadata.resourceVersion);
  return isNewer ? answered : cached;
}

function uidOf({ metadata }: Node): { readonly uid?: string } {
  return metadata.uid === undefined ? {} : { uid: metadata.uid };
}
