/**
 * Watches every state of a cluster and records violated invariants: more nodes of a pool out of service than it allows, a
 * node that reports a config that was never rendered, a drain that completes with pods left, a drain whose start time
 * changes, a condition whose transition time changes without its status.
 *
 * It reads the store write by write, so it also sees short-lived states. Nodes that a story takes out of service by hand
 * are excluded.
 */

import { EMPTY_CONFIG_NAME } from '../../src/api/index.ts';
import { isObject, own } from '../../src/base/json.ts';
import type { Store, StoreEvent } from '../../src/embedded/apiserver/index.ts';

export type Judge = {
  /** Violated invariants, in order. */
  readonly faults: readonly string[];
  /** By pool: the most nodes out of service at once. */
  readonly mostDown: ReadonlyMap<string, number>;
  /** By node: how often it was cordoned. */
  readonly cordons: ReadonlyMap<string, number>;
  /** By node: how often it was reported as drained. */
  readonly drains: ReadonlyMap<string, number>;
  /** Nodes that the story cordons or breaks itself. */
  readonly exclude: (name: string) => void;
  readonly allow: (pool: string, limit: number) => void;
};

type Raw = { readonly [key: string]: unknown };

const PREFIX = 'machineconfiguration.openshift.io/';
const DRAIN_RECORD = 'millwright.dev/drain';

/** `poolOf` gets the name and the labels of a node that exists or was deleted. */
export function watchAsJudge(store: Store, poolOf: (node: string, labels: Raw) => string): Judge {
  const court = new Court(store, poolOf);
  const listen = (prefix: string, hear: (event: StoreEvent) => void) =>
    store.subscribe({ prefix, from: store.revision() }, hear);
  listen('machineconfiguration.openshift.io/machineconfigs/', (event) => court.onMachineConfig(event));
  listen('machineconfiguration.openshift.io/machineconfigpools/', (event) => court.onPool(event));
  listen('/pods/', (event) => court.onPod(event));
  listen('/nodes/', (event) => court.onNode(event));
  return court;
}

class Court implements Judge {
  readonly faults: string[] = [];
  readonly mostDown = new Map<string, number>();
  readonly cordons = new Map<string, number>();
  readonly drains = new Map<string, number>();
  readonly #store: Store;
  readonly #poolOf: (node: string, labels: Raw) => string;
  readonly #down = new Map<string, Set<string>>();
  readonly #excluded = new Set<string>();
  readonly #limits = new Map<string, number>();
  readonly #rendered = new Set<string>();
  readonly #pods = new Map<string, Raw>();

  constructor(store: Store, poolOf: (node: string, labels: Raw) => string) {
    this.#store = store;
    this.#poolOf = poolOf;
  }

  exclude(name: string): void {
    this.#excluded.add(name);
  }

  allow(pool: string, limit: number): void {
    this.#limits.set(pool, limit);
  }

  onMachineConfig(event: StoreEvent): void {
    if (event.kind === 'put') this.#rendered.add(event.key.split('/').at(-1) ?? '');
  }

  onPool(event: StoreEvent): void {
    if (event.kind !== 'put' || event.previous === undefined) return;
    const before = conditionsOf(parsed(event.previous.value));
    for (const [type, { status, time }] of conditionsOf(parsed(event.value))) {
      const was = before.get(type);
      if (was !== undefined && was.status === status && was.time !== time)
        this.faults.push(
          `${event.revision}: ${event.key} has ${type}=${status} since ${was.time}, then ${time}`,
        );
    }
  }

  onPod(event: StoreEvent): void {
    if (event.kind === 'put') this.#pods.set(event.key, parsed(event.value));
    else this.#pods.delete(event.key);
  }

  onNode(event: StoreEvent): void {
    const name = event.key.slice('/nodes/'.length);
    const node = event.kind === 'put' ? parsed(event.value) : undefined;
    const before = event.previous === undefined ? undefined : parsed(event.previous.value);
    this.#countDown(name, node, { before, revision: event.revision });
    if (node === undefined) return;
    const fault = (text: string) => this.faults.push(`${event.revision}: ${name} ${text}`);
    if (isCordoned(node) && before !== undefined && !isCordoned(before)) count(this.cordons, name);
    const current = daemonAnnotation(node, 'currentConfig');
    const isKnown = ['', EMPTY_CONFIG_NAME].includes(current) || this.#rendered.has(current);
    if (!isKnown) fault(`claims ${current}, which was never rendered`);
    if (before !== undefined) this.#judgeDrain(name, { before, node, fault });
  }

  #countDown(
    name: string,
    node: Raw | undefined,
    { before, revision }: { readonly before: Raw | undefined; readonly revision: number },
  ): void {
    const pool = this.#poolOf(name, labelsOf(node ?? before ?? {}));
    for (const [other, members] of this.#down) if (other !== pool) members.delete(name);
    const out = this.#down.get(pool) ?? new Set<string>();
    this.#down.set(pool, out);
    if (node !== undefined && !this.#excluded.has(name) && isDown(node)) out.add(name);
    else out.delete(name);
    this.mostDown.set(pool, Math.max(this.mostDown.get(pool) ?? 0, out.size));
    if (out.size > (this.#limits.get(pool) ?? 1))
      this.faults.push(`${revision}: ${out.size} nodes of ${pool} are down: ${[...out].join(', ')}`);
  }

  #judgeDrain(
    name: string,
    { before, node, fault }: { readonly before: Raw; readonly node: Raw; fault(text: string): void },
  ): void {
    const [was, is] = [recordOf(before), recordOf(node)];
    if (was !== undefined && is !== undefined && was.request === is.request && was.began !== is.began)
      fault(`has a drain whose clock moved from ${String(was.began)} to ${String(is.began)}`);
    const answer = daemonAnnotation(node, 'lastAppliedDrain');
    if (!answer.startsWith('drain-') || answer === daemonAnnotation(before, 'lastAppliedDrain')) return;
    count(this.drains, name);
    if (is?.skipped === true) return;
    if (!isCordoned(node)) fault('is reported as drained and is schedulable');
    const left = [...this.#pods]
      .filter(([, pod]) => isOn(pod, name) && this.#hasToLeave(pod))
      .map(([key]) => key);
    if (left.length > 0) fault(`is reported as drained and has ${left.join(', ')}`);
  }

  /** An independent implementation of what a drain evicts. */
  #hasToLeave({ metadata, status }: Raw): boolean {
    if (!isObject(metadata)) return true;
    const notes = own(metadata, 'annotations');
    if (isObject(notes) && own(notes, 'kubernetes.io/config.mirror') !== undefined) return false;
    const phase = isObject(status) ? own(status, 'phase') : undefined;
    if (phase === 'Succeeded' || phase === 'Failed') return true;
    const owners = own(metadata, 'ownerReferences');
    const owner = Array.isArray(owners) ? owners.find((one) => isObject(one) && one.controller === true) : {};
    if (!isObject(owner) || owner.kind !== 'DaemonSet') return true;
    const key = `apps/daemonsets/${String(own(metadata, 'namespace'))}/${String(owner.name)}`;
    return this.#store.get(key) === undefined;
  }
}

/** Out of service: cordoned or not ready. A node is still in service while its daemon only reports Working. */
function isDown(node: Raw): boolean {
  return isCordoned(node) || !isReady(node);
}

function isCordoned(node: Raw): boolean {
  return isObject(node.spec) && own(node.spec, 'unschedulable') === true;
}

function isReady(node: Raw): boolean {
  return (conditionsOf(node).get('Ready')?.status ?? 'True') === 'True';
}

type ConditionState = { readonly status: string; readonly time: string };

function conditionsOf({ status }: Raw): ReadonlyMap<string, ConditionState> {
  const conditions = isObject(status) ? own(status, 'conditions') : undefined;
  const items: readonly unknown[] = Array.isArray(conditions) ? conditions : [];
  return new Map(
    items
      .filter(isObject)
      .map((one) => [String(one.type), { status: String(one.status), time: String(one.lastTransitionTime) }]),
  );
}

function isOn({ spec }: Raw, node: string): boolean {
  return isObject(spec) && own(spec, 'nodeName') === node;
}

function labelsOf({ metadata }: Raw): Raw {
  const labels = isObject(metadata) ? own(metadata, 'labels') : undefined;
  return isObject(labels) ? labels : {};
}

function daemonAnnotation(node: Raw, key: string): string {
  return annotationOf(node, `${PREFIX}${key}`);
}

function annotationOf({ metadata }: Raw, key: string): string {
  const annotations = isObject(metadata) ? own(metadata, 'annotations') : undefined;
  return isObject(annotations) ? String(own(annotations, key) ?? '') : '';
}

function recordOf(node: Raw): Raw | undefined {
  const text = annotationOf(node, DRAIN_RECORD);
  const record: unknown = text === '' ? undefined : JSON.parse(text);
  return isObject(record) ? record : undefined;
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function parsed(value: Uint8Array): Raw {
  // The store holds what the server wrote: JSON.
  return JSON.parse(new TextDecoder().decode(value)) as Raw;
}
