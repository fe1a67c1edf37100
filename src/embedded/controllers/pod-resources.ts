/**
 * How much of a node a pod takes, and how much a node has, in plain numbers.
 *
 * The CPU is counted in thousandths of a core and all else in whole units; both are rounded up, as Kubernetes does.
 */

import { parseQuantity } from '../../base/text/index.ts';
import type { Container, Node, Pod } from '../../kubernetes/types/index.ts';

/** Amounts by resource: `cpu`, `memory`, `ephemeral-storage`, or what a vendor names. What is not there is none. */
export type Amounts = ReadonlyMap<string, number>;

type Quantities = { readonly [resource: string]: string | number };

/**
 * What the node must set aside for the pod. Init containers run one after the other, so that the hungriest of them
 * counts and not their sum; those that keep running beside the others count with them from then on.
 */
export function podRequests({ spec }: Pick<Pod, 'spec'>): Amounts {
  const total = new Map<string, number>();
  for (const { resources } of spec.containers) add(total, amountsOf(resources?.requests));
  const peak = new Map<string, number>();
  const beside = new Map<string, number>();
  for (const container of spec.initContainers ?? []) {
    const own = amountsOf(container.resources?.requests);
    if (runsBeside(container)) {
      add(beside, own);
      raise(peak, beside);
    } else {
      raise(peak, sum(beside, own));
    }
  }
  add(total, beside);
  raise(total, peak);
  add(total, amountsOf(spec.overhead));
  return total;
}

/** What pods may use of the node. The number of pods is counted like any other amount. */
export function nodeAllocatable({ status }: Pick<Node, 'status'>): Amounts {
  return amountsOf(status?.allocatable ?? status?.capacity);
}

/** An init container that stays. */
export function runsBeside({ restartPolicy }: Container): boolean {
  return restartPolicy === 'Always';
}

/** A quantity that cannot be read is none: the server lets no such thing through. */
export function amountsOf(quantities: Quantities | undefined): Amounts {
  return new Map(
    Object.entries(quantities ?? {}).map(([resource, quantity]) => [resource, amountOf(resource, quantity)]),
  );
}

const MILLI = 1000n;

function amountOf(resource: string, text: string | number): number {
  const quantity = parseQuantity(String(text));
  if ('error' in quantity) return 0;
  const unit = 10n ** BigInt(quantity.scale);
  const digits = quantity.digits * (resource === 'cpu' ? MILLI : 1n);
  const whole = digits / unit;
  return Number(digits > whole * unit ? whole + 1n : whole);
}

function add(to: Map<string, number>, amounts: Amounts): void {
  for (const [resource, amount] of amounts) to.set(resource, (to.get(resource) ?? 0) + amount);
}

function raise(to: Map<string, number>, amounts: Amounts): void {
  for (const [resource, amount] of amounts) to.set(resource, Math.max(to.get(resource) ?? 0, amount));
}

function sum(one: Amounts, other: Amounts): Amounts {
  const total = new Map(one);
  add(total, other);
  return total;
}
