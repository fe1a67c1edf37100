/**
 * Reservations of a KubeletConfiguration against what the machine has: a kubelet that reserves more than that does not start.
 */
import { own } from '../../base/json.ts';
import { addQuantities, compareQuantities, parseQuantity, type Quantity } from '../../base/text/index.ts';
import type { Fields } from './defaults.ts';
import { certain, mapAt, textAt, type ValueProblem } from './rules.ts';

/** Resources of a machine that can be reserved, by name, as quantities; absent ones are not known. */
export type Capacity = { readonly [name: string]: string | number };

/** Of what is not limited by an amount, nothing is said: process IDs are not part of it. */
const RESOURCES = ['memory', 'cpu', 'ephemeral-storage'] as const;

/** Free amounts below which pods are evicted are reserved too; of defaults, which depend on the version, nothing is said. */
const EVICTIONS: ReadonlyMap<string, string> = new Map([
  ['memory', 'memory.available'],
  ['ephemeral-storage', 'nodefs.available'],
]);

/** Of a whole configuration, with its defaults and flags, whose values are right alone. */
export function capacityProblems(config: Fields, capacity: Capacity): readonly ValueProblem[] {
  return RESOURCES.flatMap((name) => {
    const has = quantityOf(own(capacity, name));
    if (has === undefined || !isCounted(config, name)) return [];
    const parts = ['systemReserved', 'kubeReserved', 'evictionHard'].flatMap((field) => {
      const key = field === 'evictionHard' ? (EVICTIONS.get(name) ?? '') : name;
      const amount = textAt(mapAt(config, field), key);
      const value = amount === undefined ? undefined : reserved(amount, has);
      return value === undefined ? [] : [{ path: `${field}[${key}]`, amount, value }];
    });
    const sum = parts.reduce<Quantity>((all, { value }) => addQuantities(all, value), NOTHING);
    const [first] = parts;
    if (first === undefined || compareQuantities(sum, has) <= 0) return [];
    const others = parts.slice(1).map(({ path, amount }) => ` and ${path} ${amount}`);
    const message = `reserves ${first.amount}${others.join('')}, more than the ${name} of the node, which is ${capacity[name]}`;
    return [certain(first.path, message)];
  });
}

const NOTHING: Quantity = { digits: 0n, scale: 0 };

function quantityOf(amount: unknown): Quantity | undefined {
  const quantity = parseQuantity(String(amount ?? ''));
  return 'error' in quantity ? undefined : quantity;
}

/** Reserved CPUs take the place of reserved amounts; without its isolation, storage is not looked at. */
function isCounted(config: Fields, name: string): boolean {
  if (name === 'cpu') return (textAt(config, 'reservedSystemCPUs') ?? '') === '';
  return name !== 'ephemeral-storage' || own(config, 'localStorageCapacityIsolation') !== false;
}

/** 0% and 100% turn an eviction off. */
function reserved(amount: string, has: Quantity): Quantity | undefined {
  if (!amount.endsWith('%')) return quantityOf(amount);
  const percent = /^(\d{1,2})(?:\.\d*)?%$/.exec(amount)?.[1];
  if (percent === undefined) return undefined;
  // Rounded down: what is refused is certain.
  return { digits: (has.digits * BigInt(percent)) / 100n, scale: has.scale };
}
