/**
 * Reports progress to the cluster: at most one write to the Node and one to the MachineConfigNode, and none where nothing
 * changes. A report that cannot be written is retried later, and fails no update.
 */
import {
  annotations,
  keyRegister,
  type MachineConfigNode,
  type MachineConfigNodeStatus,
  machineConfigNode as machineConfigNodeKind,
} from '../../api/index.ts';
import { Failure } from '../../base/errors.ts';
import { jsonEqual } from '../../base/json.ts';
import { quoted } from '../../base/text/index.ts';
import { type AnyObject, type Cache, isConflict, isNotFound } from '../../kubernetes/client/index.ts';
import { type Node, node as nodeKind } from '../../kubernetes/types/index.ts';
import { degradedPointer, nodeReport, type ProgressEvent } from '../report/index.ts';
import type { DaemonContext } from './context.ts';

type ReporterCaches = {
  readonly nodes: Cache<Node>;
  readonly machineConfigNodes: Cache<MachineConfigNode>;
};

type Annotations = { readonly [key: string]: string | null };

const OWN_ANNOTATIONS = Object.values(keyRegister.annotations)
  .filter(({ on, writer }) => writer === 'daemon' && on[0] === 'Node')
  .map(({ key }): string => key);

const PINNED = 'pinned-images' satisfies ProgressEvent['kind'];
/** More than an update has; the oldest are dropped first, as later events imply them. */
const MAX_PENDING = 100;
/** An entry of the status that is replaced goes first. */
const MAX_PARTS = 2;
/** Of one write, with those who write the spec. */
const MAX_CONFLICTS = 3;

export class Reporter {
  readonly #context: DaemonContext;
  readonly #caches: ReporterCaches;
  readonly #isSynced: () => boolean;
  #pending: ProgressEvent[] = [];
  #extra: Annotations = {};
  /** The responses to the last writes: the caches may lag behind. */
  #node: Node | undefined;
  #machineConfigNode: MachineConfigNode | undefined;
  /** The annotations that this process has written last, or is writing. */
  #written: Annotations = {};
  #isStateMeasured: boolean = false;

  constructor(context: DaemonContext, caches: ReporterCaches, isSynced: () => boolean) {
    this.#context = context;
    this.#caches = caches;
    this.#isSynced = isSynced;
  }

  /** The latest known version. */
  node(): Node | undefined {
    return newer(this.#caches.nodes.get({ name: this.#context.nodeName }), this.#node);
  }

  /**
   * Whether a change of the Node gives an annotation of the daemon another value than it has written: a person did, or a request that was
   * given up arrives late. Changes older than the last answer are known.
   */
  isOverwritten(before: Node, node: Node): boolean {
    if (
      newer(node, this.#node) !== node ||
      this.#node?.metadata.resourceVersion === node.metadata.resourceVersion
    )
      return false;
    return OWN_ANNOTATIONS.some((key) => {
      const value = node.metadata.annotations?.[key] ?? null;
      return value !== (before.metadata.annotations?.[key] ?? null) && value !== this.#written[key];
    });
  }

  /** Adds annotations to the next report. */
  annotate(more: Annotations): void {
    this.#extra = { ...this.#extra, ...more };
  }

  /** Returns whether everything is reported, including what was left from before. */
  async report(progress: readonly ProgressEvent[]): Promise<boolean> {
    // Of pinned images only the latest state counts: it is passed in whenever the daemon looks.
    const isNewer = progress.some(({ kind }) => kind === PINNED);
    const pending = isNewer ? this.#pending.filter(({ kind }) => kind !== PINNED) : this.#pending;
    this.#pending = [...pending, ...progress].slice(-MAX_PENDING);
    // Without synced caches it is unknown what is reported already.
    if (!this.#isSynced()) return false;
    if (!this.#isStateMeasured) this.#measureState();
    if (this.#pending.length === 0 && Object.keys(this.#extra).length === 0) return true;
    try {
      await this.#write();
    } catch (error) {
      if (!(error instanceof Failure) || error.kind === 'cancelled') throw error;
      this.#context.log.warn(`could not report to the cluster, retrying later: ${error.message}`);
      return false;
    }
    this.#pending = [];
    return true;
  }

  /** Of a node that an earlier process has left; later the state is measured when it changes. */
  #measureState(): void {
    const given = this.node()?.metadata.annotations ?? {};
    const { [annotations.state]: state = '', [annotations.reason]: reason = '' } = given;
    if (state === '') return;
    this.#setState(state, reason);
  }

  #setState(state: string, reason: string): void {
    const { metrics, env } = this.#context;
    metrics.set('mcd_state', Math.floor(env.clock.now() / 1000), { state, reason });
    this.#isStateMeasured = true;
  }

  async #write(): Promise<void> {
    for (let part = 0; part < MAX_PARTS; part++) if (!(await this.#writePart())) return;
  }

  /** Returns whether the rest of the status is to be written after this part. */
  async #writePart(): Promise<boolean> {
    const { nodeName: name, env, featureGates, events, nodeEvents } = this.#context;
    const node = this.node();
    if (node === undefined) return false;
    const known = this.#caches.machineConfigNodes.get({ name });
    const machineConfigNode = newer(known, this.#machineConfigNode);
    const report = nodeReport({
      node,
      machineConfigNode,
      progress: this.#pending,
      nowMs: env.clock.now(),
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
    // Once: the failure itself counts its retries.
    const hasDegraded = isDegraded(report.annotations) && !isDegraded(node.metadata.annotations);
    const pointer = hasDegraded ? [degradedPointer(name)] : [];
    for (const { reason, message } of [...report.failures, ...pointer])
      nodeEvents.warning(about, reason, message);
    return report.isPartial === true;
  }

  async #writeNode(node: Node, changes: Annotations): Promise<void> {
    if (Object.keys(changes).length === 0) return;
    const { kube, nodeName: name } = this.#context;
    const body = { metadata: { annotations: changes } };
    this.#written = { ...this.#written, ...changes };
    this.#node = await kube.patch(nodeKind, { name }, { type: 'merge', body });
    this.#logTransition(node, changes);
  }

  #logTransition(before: Node, changes: Annotations): void {
    const { log } = this.#context;
    const state = changes[annotations.state];
    const reason = changes[annotations.reason] ?? before.metadata.annotations?.[annotations.reason] ?? '';
    if (typeof state !== 'string' && !(annotations.reason in changes)) return;
    const now = state ?? before.metadata.annotations?.[annotations.state] ?? '';
    if (now === 'Degraded') log.error(`Marking Degraded due to: ${quoted(reason)}`);
    if (now === 'Unreconcilable') log.error(`Marking Unreconcilable due to: ${reason}`);
    const last = before.metadata.annotations?.[annotations.state] ?? '';
    if (last !== '' && last !== now) log.line(`Transitioned from state: ${last} -> ${now}`);
    this.#setState(now, reason);
  }

  async #writeStatus(before: MachineConfigNode, status: MachineConfigNodeStatus): Promise<void> {
    const { kube, nodeName: name } = this.#context;
    // A merge patch keeps fields that it does not contain.
    const gone = Object.keys(before.status ?? {}).filter((key) => !(key in status));
    const changed = { ...status, ...Object.fromEntries(gone.map((key) => [key, null])) };
    // A request that was given up may still be on its way: without the version it would overwrite what was reported since.
    for (let version = before, count = 1; ; count++) {
      const { uid, resourceVersion } = version.metadata;
      const body = { metadata: { uid, resourceVersion }, status: changed };
      try {
        const change = { type: 'merge', body } as const;
        const options = { subresource: 'status' } as const;
        this.#machineConfigNode = await kube.patch(machineConfigNodeKind, { name }, change, options);
        return;
      } catch (error) {
        // The operator creates it anew, which wakes the daemon.
        if (isNotFound(error, name)) return;
        if (!isConflict(error) || count === MAX_CONFLICTS) throw error;
        const now = await kube.get(machineConfigNodeKind, { name });
        if (now === undefined) return;
        this.#machineConfigNode = now;
        // Only others have written the spec; where the status is another one, so would the report be.
        if (!jsonEqual(now.status, before.status)) throw error;
        version = now;
      }
    }
  }
}

function isDegraded(given: Annotations | undefined): boolean {
  return ['Degraded', 'Unreconcilable'].includes(given?.[annotations.state] ?? '');
}

function changedOnly(node: Node, desired: Annotations): Annotations {
  const before = node.metadata.annotations ?? {};
  return Object.fromEntries(
    Object.entries(desired).filter(([key, value]) => (before[key] ?? null) !== value),
  );
}

/** The later version of the same object; where the object was created anew, the cached one. */
function newer<T extends AnyObject>(cached: T | undefined, answered: T | undefined): T | undefined {
  if (cached === undefined || answered === undefined) return cached;
  if (cached.metadata.uid !== answered.metadata.uid) return cached;
  const isNewer = Number(answered.metadata.resourceVersion) > Number(cached.metadata.resourceVersion);
  return isNewer ? answered : cached;
}

function uidOf({ metadata }: Node): { readonly uid?: string } {
  return metadata.uid === undefined ? {} : { uid: metadata.uid };
}
