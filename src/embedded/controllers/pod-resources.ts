/**
 * Resource requests of pods and allocatable resources of nodes, as numbers.
 *
 * CPU is in millicores, everything else in whole units, both rounded up like in Kubernetes.
 */

import { parseQuantity } from '../../base/text/index.ts';
import type { Container, Node, Pod } from '../../kubernetes/types/index.ts';

/** Amounts by resource name; missing ones are zero. */
export type Amounts = ReadonlyMap<string, number>;

type Quantities = { readonly [resource: string]: string | number };

/**
 * The effective requests of the pod. Init containers run in sequence, so their maximum counts; sidecars add to everything
 * that runs after them.
 */
export function podRequests({ spec }: Pick<Pod, 'spec'>): Amounts {
  const total = new Map<string, number>();
  for (const { resources } of spec.containers) add(total, amountsOf(resources?.requests));
  const peak = new Map<string, number>();
  const sidecars = new Map<string, number>();
  for (const container of spec.initContainers ?? []) {
    const own = amountsOf(container.resources?.requests);
    if (isSidecar(container)) {
      add(sidecars, own);
      raise(peak, sidecars);
    } else {
      raise(peak, sum(sidecars, own));
    }
  }
  add(total, sidecars);
  raise(total, peak);
  add(total, amountsOf(spec.overhead));
  return total;
}

/** Includes the number of pods. */
export function nodeAllocatable({ status }: Pick<Node, 'status'>): Amounts {
  return amountsOf(status?.allocatable ?? status?.capacity);
}

export function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === 'Always';
}

/** Malformed quantities count as zero; the server rejects them. */
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
