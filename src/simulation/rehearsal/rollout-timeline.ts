/**
 * What happens on the nodes and pools of a simulated cluster, from what is stored: when each node was sent, which phases it went through, what
 * was refused and what failed. Times are of the rehearsal: 0 is the change.
 */
import {
  annotations,
  type MachineConfigPool,
  machineConfigPool as machineConfigPoolKind,
} from '../../api/index.ts';
import type { StoreEvent } from '../../embedded/apiserver/index.ts';
import { phaseOf } from '../../insight/index.ts';
import { annotationOf, nameOf } from '../../kubernetes/meta/index.ts';
import { type Node, node as nodeKind } from '../../kubernetes/types/index.ts';
import { drainState } from '../../rollout/index.ts';

/**
 * `prepare`: sent, and not yet drained: it checks the config and downloads the OS image. `apply`: it writes. `finish`: it is back, and verifies.
 * `fail`: it is degraded, and tries again.
 */
export type RolloutPhase = 'prepare' | 'drain' | 'apply' | 'reboot' | 'finish' | 'fail';

type PhaseSpan = { readonly phase: RolloutPhase; readonly fromMs: number; readonly toMs: number };

type RefusedEviction = {
  readonly namespace: string;
  readonly pod: string;
  readonly budget?: string;
  readonly fromMs: number;
  readonly toMs: number;
};

type NodeFailure = { readonly reason: string; readonly fromMs: number; readonly toMs: number };

export type NodeTimeline = {
  readonly name: string;
  readonly pool: string;
  readonly zone?: string;
  readonly sentMs: number;
  /** Absent where it was not done at the end. */
  readonly doneMs?: number;
  readonly isRebooted: boolean;
  /** In order, without gaps. */
  readonly phases: readonly PhaseSpan[];
  readonly refusals: readonly RefusedEviction[];
  readonly failures: readonly NodeFailure[];
};

export type PoolTimeline = {
  readonly name: string;
  readonly nodes: number;
  readonly isPaused: boolean;
  /** Nodes that do not have its config at the end. */
  readonly unfinished: readonly string[];
  /** When all of them had it and the pool said so; absent where that has not happened, or nothing moved. */
  readonly updatedMs?: number;
};

type NodeRecord = {
  node: Node;
  readonly pool: string;
  readonly zone: string | undefined;
  sentMs: number | undefined;
  doneMs: number | undefined;
  open: { readonly phase: RolloutPhase; readonly fromMs: number } | undefined;
  hasDrained: boolean;
  hasRebooted: boolean;
  /** The failure that it reported when it rebooted: its daemon reports it until the update is done. */
  overcome: string | undefined;
  readonly phases: PhaseSpan[];
  readonly refusals: RefusedEviction[];
  readonly failures: NodeFailure[];
};

type PoolRecord = { pool: MachineConfigPool; updatedMs: number | undefined };

type Placed = { readonly name: string; readonly pool: string; readonly zone?: string };

const NODES = `/${nodeKind.plural}/`;
const POOLS = `${machineConfigPoolKind.group}/${machineConfigPoolKind.plural}/`;
const decoder = new TextDecoder();

export class RolloutTimeline {
  readonly #nowMs: () => number;
  readonly #placed: ReadonlyMap<string, Placed>;
  readonly #nodes = new Map<string, NodeRecord>();
  readonly #pools = new Map<string, PoolRecord>();
  #beganMs: number | undefined;
  #lastProgressMs = 0;
  #unfinished = 0;
  #isStale: boolean = true;

  constructor({ placed, nowMs }: { readonly placed: readonly Placed[]; readonly nowMs: () => number }) {
    this.#placed = new Map(placed.map((one) => [one.name, one]));
    this.#nowMs = nowMs;
  }

  /** From now on what happens is recorded. */
  begin(): void {
    this.#beganMs = this.#nowMs();
    this.#lastProgressMs = 0;
    for (const record of this.#pools.values()) record.updatedMs = undefined;
  }

  get elapsedMs(): number {
    return this.#beganMs === undefined ? 0 : this.#nowMs() - this.#beganMs;
  }

  /** When a node or a pool got further for the last time. */
  get lastProgressMs(): number {
    return this.#lastProgressMs;
  }

  onStored(event: StoreEvent): void {
    const isNode = event.key.startsWith(NODES);
    if (!isNode && !event.key.startsWith(POOLS)) return;
    this.#isStale = true;
    const name = event.key.slice(isNode ? NODES.length : POOLS.length);
    if (event.kind === 'delete') {
      if (isNode) this.#nodes.delete(name);
      else this.#pools.delete(name);
      return;
    }
    // The store holds what the server wrote.
    const object: unknown = JSON.parse(decoder.decode(event.value));
    if (isNode) this.#onNode(name, object as Node);
    else this.#onPool(name, object as MachineConfigPool);
  }

  pool(name: string): MachineConfigPool | undefined {
    return this.#pools.get(name)?.pool;
  }

  node(name: string): Node | undefined {
    return this.#nodes.get(name)?.node;
  }

  /** How many nodes have been sent, and how many of them are done. */
  counts(): { readonly sent: number; readonly done: number; readonly all: number } {
    const records = [...this.#nodes.values()];
    return {
      all: records.length,
      sent: records.filter(({ sentMs }) => sentMs !== undefined).length,
      done: records.filter(({ sentMs, doneMs }) => sentMs !== undefined && doneMs !== undefined).length,
    };
  }

  /** Whether all nodes of pools that may move have what they should, and the pools say so. */
  isOver(): boolean {
    if (this.#isStale) {
      this.#unfinished = [...this.#pools.values()].filter((one) => !this.#isPoolOver(one)).length;
      this.#isStale = false;
    }
    return this.#unfinished === 0;
  }

  nodes(): readonly NodeTimeline[] {
    return [...this.#nodes]
      .flatMap(([name, record]) => (record.sentMs === undefined ? [] : [this.#timelineOf(name, record)]))
      .toSorted((a, b) => a.sentMs - b.sentMs);
  }

  pools(): readonly PoolTimeline[] {
    return [...this.#pools.values()].map(({ pool, updatedMs }) => {
      const name = nameOf(pool);
      const members = [...this.#nodes].filter(([, record]) => record.pool === name);
      return {
        name,
        nodes: members.length,
        isPaused: pool.spec.paused === true,
        unfinished: members.filter(([, { node }]) => !hasTarget(node, pool)).map(([node]) => node),
        ...(updatedMs === undefined ? {} : { updatedMs }),
      };
    });
  }

  #isPoolOver({ pool }: PoolRecord): boolean {
    if (pool.spec.paused === true) return true;
    return (
      isUpdated(pool) &&
      [...this.#nodes.values()].every(
        (record) => record.pool !== nameOf(pool) || hasTarget(record.node, pool),
      )
    );
  }

  #timelineOf(name: string, record: NodeRecord): NodeTimeline {
    const { pool, zone, sentMs = 0, doneMs, hasRebooted, phases, open, refusals, failures } = record;
    const last = open === undefined ? [] : [{ ...open, toMs: this.elapsedMs }];
    return {
      ...{ name, pool, sentMs, isRebooted: hasRebooted, phases: [...phases, ...last], refusals, failures },
      ...(zone === undefined ? {} : { zone }),
      ...(doneMs === undefined ? {} : { doneMs }),
    };
  }

  #onPool(name: string, pool: MachineConfigPool): void {
    const known = this.#pools.get(name);
    if (known === undefined) {
      this.#pools.set(name, { pool, updatedMs: undefined });
      return;
    }
    const wasUpdated = isUpdated(known.pool);
    known.pool = pool;
    if (isUpdated(pool) === wasUpdated) return;
    this.#lastProgressMs = this.elapsedMs;
    known.updatedMs = isUpdated(pool) && this.#beganMs !== undefined ? this.elapsedMs : undefined;
  }

  #onNode(name: string, node: Node): void {
    const placed = this.#placed.get(name);
    if (placed === undefined) return;
    const record = this.#nodes.get(name) ?? newRecord(node, placed);
    this.#nodes.set(name, record);
    const before = record.node;
    record.node = node;
    if (this.#beganMs === undefined) return;
    this.#enter(record, phaseNow(record));
    this.#noteRefusal(record, before);
    this.#noteFailure(record, before);
  }

  #enter(record: NodeRecord, phase: RolloutPhase | undefined): void {
    const nowMs = this.elapsedMs;
    if (record.open?.phase === phase) return;
    // One that fails and tries again would go on for ever: it gets further only with its reboot.
    const isRetry = phase === 'fail' || record.open?.phase === 'fail';
    const isFirstReboot = phase === 'reboot' && !record.hasRebooted;
    if (!isRetry || isFirstReboot) this.#lastProgressMs = nowMs;
    if (record.open !== undefined && nowMs > record.open.fromMs) {
      record.phases.push({ ...record.open, toMs: nowMs });
    }
    record.open = phase === undefined ? undefined : { phase, fromMs: nowMs };
    if (phase === undefined) {
      record.doneMs = nowMs;
      this.#lastProgressMs = nowMs;
    } else {
      record.sentMs ??= nowMs;
      record.doneMs = undefined;
    }
    if (phase === 'drain') record.hasDrained = true;
    if (phase === 'reboot') {
      record.hasRebooted = true;
      record.overcome = failureOf(record.node);
    }
  }

  #noteRefusal({ node, refusals }: NodeRecord, before: Node): void {
    const refusalOf = (one: Node) => {
      const { isPending, currentRecord } = drainState(one);
      return isPending ? currentRecord?.lastRefusal : undefined;
    };
    const [was, is] = [refusalOf(before), refusalOf(node)];
    const last = refusals.at(-1);
    const nowMs = this.elapsedMs;
    if (was !== undefined && last !== undefined) refusals.splice(-1, 1, { ...last, toMs: nowMs });
    if (is === undefined || (is.pod === was?.pod && is.namespace === was.namespace)) return;
    const { namespace, pod, budget } = is;
    refusals.push({
      ...{ namespace, pod, fromMs: nowMs, toMs: nowMs },
      ...(budget === undefined ? {} : { budget }),
    });
  }

  #noteFailure({ node, failures }: NodeRecord, before: Node): void {
    const [was, is] = [failureOf(before), failureOf(node)];
    const last = failures.at(-1);
    const nowMs = this.elapsedMs;
    if (was !== undefined && last !== undefined) failures.splice(-1, 1, { ...last, toMs: nowMs });
    if (is !== undefined && is !== was) failures.push({ reason: is, fromMs: nowMs, toMs: nowMs });
  }
}

function newRecord(node: Node, { pool, zone }: Placed): NodeRecord {
  return {
    ...{ node, pool, zone, sentMs: undefined, doneMs: undefined, open: undefined },
    ...{ hasDrained: false, hasRebooted: false, overcome: undefined, phases: [], refusals: [], failures: [] },
  };
}

/** Undefined where it has what it should. */
function phaseNow({ node, hasDrained, hasRebooted, overcome }: NodeRecord): RolloutPhase | undefined {
  const [current, desired, state] = [
    annotations.currentConfig,
    annotations.desiredConfig,
    annotations.state,
  ].map((key) => annotationOf(node, key) ?? '');
  if (current === desired && state === 'Done' && !drainState(node).isPending) return undefined;
  const failure = failureOf(node);
  const isFailing = failure !== undefined && failure !== overcome;
  switch (phaseOf(node, undefined).phase) {
    // One that tries again reports its failure until it is done.
    case 'rebooting':
      return 'reboot';
    case 'cordoning':
    case 'draining':
      return 'drain';
    case 'uncordoning':
      return isFailing ? 'fail' : 'finish';
    default:
      if (isFailing) return 'fail';
      if (hasRebooted) return 'finish';
      return hasDrained ? 'apply' : 'prepare';
  }
}

function failureOf(node: Node): string | undefined {
  const state = annotationOf(node, annotations.state);
  if (state !== 'Degraded' && state !== 'Unreconcilable') return undefined;
  return annotationOf(node, annotations.reason) || state;
}

function hasTarget(node: Node, { spec }: MachineConfigPool): boolean {
  return (
    annotationOf(node, annotations.currentConfig) === spec.configuration?.name &&
    annotationOf(node, annotations.state) === 'Done'
  );
}

function isUpdated({ metadata, spec, status }: MachineConfigPool): boolean {
  const updated = status?.conditions?.find(({ type }) => type === 'Updated');
  return (
    updated?.status === 'True' &&
    status?.configuration?.name === spec.configuration?.name &&
    status?.observedGeneration === metadata.generation
  );
}
