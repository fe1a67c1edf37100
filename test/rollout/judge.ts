/**
 * Watches every state that a cluster is ever in, and notes what must never be: more nodes of a pool out of service than
 * it allows, a node that says it has what nobody rendered, a drain that is answered while pods are left.
 *
 * It reads the store itself, write by write, so nothing that was true for a moment escapes it. Nodes that a story takes
 * out of service by hand are named, and do not count.
 */

import type { Store, StoreEvent } from '../../src/apiserver/index.ts';
import { isObject, own } from '../../src/json.ts';

export type Judge = {
  /** What must never be and was, in order. */
  readonly faults: readonly string[];
  /** By pool: how many nodes were out of service at once, at most. */
  readonly mostDown: ReadonlyMap<string, number>;
  /** By node: how often it was cordoned. */
  readonly cordons: ReadonlyMap<string, number>;
  /** Nodes that the story cordons or breaks itself. */
  readonly exclude: (name: string) => void;
  readonly allow: (pool: string, limit: number) => void;
};

type Raw = { readonly [key: string]: unknown };

const PREFIX = 'machineconfiguration.openshift.io/';

export function watchAsJudge(store: Store, poolOf: (node: string) => string): Judge {
  const faults: string[] = [];
  const mostDown = new Map<string, number>();
  const cordons = new Map<string, number>();
  const down = new Map<string, Set<string>>();
  const excluded = new Set<string>();
  const limits = new Map<string, number>();
  const rendered = new Set<string>();
  store.subscribe(
    { prefix: 'machineconfiguration.openshift.io/machineconfigs/', from: store.revision() },
    (event) => {
      if (event.kind === 'put') rendered.add(event.key.split('/').at(-1) ?? '');
    },
  );
  store.subscribe({ prefix: '/nodes/', from: store.revision() }, (event) => {
    const name = event.key.slice('/nodes/'.length);
    const pool = poolOf(name);
    const out = down.get(pool) ?? new Set<string>();
    down.set(pool, out);
    const node = event.kind === 'put' ? parsed(event) : undefined;
    if (node === undefined || excluded.has(name)) out.delete(name);
    else if (isDown(node)) out.add(name);
    else out.delete(name);
    mostDown.set(pool, Math.max(mostDown.get(pool) ?? 0, out.size));
    const limit = limits.get(pool) ?? 1;
    if (out.size > limit)
      faults.push(`${event.revision}: ${out.size} nodes of ${pool} are down: ${[...out].join(', ')}`);
    if (node === undefined) return;
    const before = event.previous === undefined ? undefined : parsed({ value: event.previous.value });
    if (isCordoned(node) && before !== undefined && !isCordoned(before))
      cordons.set(name, (cordons.get(name) ?? 0) + 1);
    const current = said(node, 'currentConfig');
    if (current !== '' && !rendered.has(current))
      faults.push(`${event.revision}: ${name} claims ${current}, which nobody rendered`);
  });
  return {
    faults,
    mostDown,
    cordons,
    exclude: (name) => excluded.add(name),
    allow: (pool, limit) => limits.set(pool, limit),
  };
}

/** Out of service: cordoned, not ready, or at work. A daemon that only says so before it has touched anything is not. */
function isDown(node: Raw): boolean {
  return isCordoned(node) || !isReady(node);
}

function isCordoned(node: Raw): boolean {
  return isObject(node.spec) && own(node.spec, 'unschedulable') === true;
}

function isReady({ status }: Raw): boolean {
  const conditions = isObject(status) ? own(status, 'conditions') : undefined;
  if (!Array.isArray(conditions)) return true;
  return conditions.every((one) => !isObject(one) || one.type !== 'Ready' || one.status === 'True');
}

function said({ metadata }: Raw, key: string): string {
  const annotations = isObject(metadata) ? own(metadata, 'annotations') : undefined;
  return isObject(annotations) ? String(own(annotations, `${PREFIX}${key}`) ?? '') : '';
}

function parsed({ value }: Pick<Extract<StoreEvent, { kind: 'put' }>, 'value'>): Raw {
  // The store holds what the server wrote: JSON.
  return JSON.parse(new TextDecoder().decode(value)) as Raw;
}
