/**
 * A fleet whose nodes go through updates like real ones (`NodeLife`), for tests of status views.
 */
import type { MachineConfigNode, MachineConfigPool, MachineConfigPoolStatus } from '../../src/api/index.ts';
import { type FleetSnapshot, type FleetStatus, fleetStatus } from '../../src/insight/index.ts';
import type { Node } from '../../src/kubernetes/types/index.ts';
import type { ProgressEvent } from '../../src/node/report/index.ts';
import { aPool } from './build.ts';
import { NodeLife, noChange, START_MS } from './node-life.ts';

export const OLD = 'rendered-worker-e484b6e623b09767d5d8245e01a90a41';
export const NEW = 'rendered-worker-ceedbbb3b533372a501c2410fa554c89';

export class Fleet {
  nowMs = START_MS;
  readonly #pools = new Map<string, MachineConfigPool>();
  readonly #lives = new Map<string, NodeLife>();

  /** A pool with this target and this many nodes that have been on `OLD` for a while: `worker-0`, `worker-1`, … */
  pool(name: string, nodes: number, spec: Partial<MachineConfigPool['spec']> = {}): this {
    this.#pools.set(name, aPool(name, { configuration: { name: OLD }, ...spec }));
    for (let index = 0; index < nodes; index++) this.node(`${name}-${index}`, name);
    return this;
  }

  node(name: string, ...roles: readonly string[]): NodeLife {
    const life = NodeLife.settledOn(name, OLD);
    this.#lives.set(name, life);
    this.relabel(name, ...roles);
    this.kubelet(name, { isReady: true, bootId: '1' });
    return life;
  }

  /** A node that is older than any node that is joining, and from which no daemon has reported. */
  withoutDaemon(name: string, ...roles: readonly string[]): void {
    this.node(name, ...roles);
    const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime: '2025-05-22T12:10:00Z' }];
    this.#change(name, (node) => ({
      ...node,
      metadata: { ...node.metadata, annotations: {}, creationTimestamp: '2025-05-22T12:00:00Z' },
      status: { conditions },
    }));
  }

  relabel(name: string, ...roles: readonly string[]): void {
    const labels = Object.fromEntries(roles.map((role) => [`node-role.kubernetes.io/${role}`, '']));
    this.#change(name, ({ metadata, ...node }) => ({ ...node, metadata: { ...metadata, labels } }));
  }

  kubelet(name: string, { isReady, bootId }: { readonly isReady: boolean; readonly bootId?: string }): void {
    const ready = isReady
      ? { type: 'Ready', status: 'True' }
      : { type: 'Ready', status: 'Unknown', message: 'Kubelet stopped posting node status.' };
    const conditions = [{ ...ready, lastTransitionTime: new Date(this.nowMs).toISOString() }];
    this.#change(name, (node) => ({
      ...node,
      // The boot ID is all that tests need of a machine.
      status: {
        conditions,
        nodeInfo: { ...node.status?.nodeInfo, ...(bootId && { bootID: bootId }) },
      } as unknown as NonNullable<Node['status']>,
    }));
  }

  annotateNode(name: string, annotations: { readonly [key: string]: string }): void {
    this.#change(name, ({ metadata, ...node }) => ({
      ...node,
      metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } },
    }));
  }

  cordon(name: string, isCordoned = true): void {
    this.#change(name, (node) => ({ ...node, spec: { unschedulable: isCordoned } }));
  }

  #change(name: string, change: (node: Node) => Node): void {
    const life = this.life(name);
    life.node = change(life.node);
  }

  life(name: string): NodeLife {
    const life = this.#lives.get(name);
    if (life === undefined) throw new Error(`there is no node ${name}`);
    return life;
  }

  /** The pool with other fields in its spec. */
  change(name: string, spec: Partial<MachineConfigPool['spec']>): void {
    const pool = this.#poolNamed(name);
    this.#pools.set(name, { ...pool, spec: { ...pool.spec, ...spec } });
  }

  annotate(name: string, annotations: { readonly [key: string]: string }): void {
    const pool = this.#poolNamed(name);
    this.#pools.set(name, { ...pool, metadata: { ...pool.metadata, annotations } });
  }

  setPoolStatus(name: string, status: MachineConfigPoolStatus): void {
    this.#pools.set(name, { ...this.#poolNamed(name), status });
  }

  removePool(name: string): void {
    this.#pools.delete(name);
  }

  removeNode(name: string): void {
    this.#lives.delete(name);
  }

  #poolNamed(name: string): MachineConfigPool {
    const pool = this.#pools.get(name);
    if (pool === undefined) throw new Error(`there is no pool ${name}`);
    return pool;
  }

  /** Sets the desired config of the node, which starts the update. */
  send(name: string, config = NEW): NodeLife {
    const life = this.#now(name);
    life.sendTo(config);
    return life;
  }

  /** The current report of the daemon. */
  report(name: string, ...progress: readonly ProgressEvent[]): void {
    this.#now(name).report(...progress);
  }

  /** The drain controller has cordoned the node; an eviction may have been refused. */
  drain(name: string, record: Parameters<NodeLife['setDraining']>[0] = {}): void {
    const life = this.#now(name);
    life.report({ kind: 'prepared', needsDrain: true }, { kind: 'drain-requested', config: NEW });
    life.setDraining(record);
    life.report({ kind: 'drain-progressed' });
  }

  drained(name: string): void {
    const life = this.#now(name);
    life.completeDrainRequest();
    life.report({ kind: 'drain-progressed' }, { kind: 'applying', change: { ...noChange, files: true } });
  }

  /** From the applied files to the end of the update. */
  finish(name: string, config = NEW): void {
    const life = this.#now(name);
    life.report({ kind: 'completing', config });
    life.completeDrainRequest();
    life.report({ kind: 'drain-progressed' }, { kind: 'done', config }, { kind: 'up-to-date' });
  }

  #now(name: string): NodeLife {
    const life = this.life(name);
    // A report is written a second later.
    life.nowMs = this.nowMs - 1000;
    return life;
  }

  pass(seconds: number): this {
    this.nowMs += seconds * 1000;
    return this;
  }

  /** All of them: pools, Nodes and MachineConfigNodes. */
  objects(): readonly (MachineConfigPool | Node | MachineConfigNode)[] {
    const lives = [...this.#lives.values()];
    return [...this.#pools.values(), ...lives.flatMap(({ node, record }) => [node, record])];
  }

  snapshot(): FleetSnapshot {
    const lives = [...this.#lives.values()];
    return {
      pools: [...this.#pools.values()],
      nodes: lives.map(({ node }) => node),
      machineConfigNodes: lives.map(({ record }) => record),
      nowMs: this.nowMs,
    };
  }

  status(): FleetStatus {
    return fleetStatus(this.snapshot());
  }
}

/** The message of a disruption budget that blocks an eviction. */
export const aRefusal = {
  namespace: 'shop',
  pod: 'web-0',
  budget: 'web',
  message: "Cannot evict pod as it would violate the pod's disruption budget.",
};
