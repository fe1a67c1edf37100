/**
 * Validation of the resource requests and limits of a container.
 */

import type { Problem } from '../../../base/errors.ts';
import type { Json, JsonObject } from '../../../base/json.ts';
import { objectAt, valueAt } from '../../../base/json-fields.ts';
import {
  compareQuantities,
  parseQuantity,
  type Quantity,
  quoted,
  wholeNumber,
} from '../../../base/text/index.ts';
import { checkQualifiedName } from '../../../kubernetes/meta/index.ts';
import { forbidden, invalid, required } from '../field-problems.ts';

export function containerResourceProblems(resources: JsonObject, path: string): readonly Problem[] {
  const limits = objectAt(resources, 'limits') ?? {};
  const requests = objectAt(resources, 'requests') ?? {};
  const limitPath = `${path}.limits`;
  const requestPath = `${path}.requests`;
  return [
    ...Object.entries(limits).flatMap(([name, amount]) => [
      ...amountProblems(name, amount, `${limitPath}[${name}]`),
      ...pageProblems(name, amount, `${limitPath}[${name}]`),
    ]),
    ...Object.entries(requests).flatMap(([name, amount]) => [
      ...amountProblems(name, amount, `${requestPath}[${name}]`),
      ...requestProblems(name, amount, valueAt(limits, name), { limitPath, requestPath }),
      ...pageProblems(name, amount, `${requestPath}[${name}]`),
    ]),
    ...hugePageProblems([...Object.keys(limits), ...Object.keys(requests)], path),
  ];
}

/** Validates the quantity of one resource. */
function amountProblems(name: string, amount: Json, path: string): readonly Problem[] {
  return [...containerResourceNameProblems(name, path), ...quantityProblems(name, amount, path)];
}

const STANDARD_NAMES: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);
/** Standard resource names that containers cannot use. */
const OTHER_NAMES: ReadonlySet<string> = new Set(['storage', 'pods', 'services', 'secrets', 'configmaps']);

function containerResourceNameProblems(name: string, path: string): readonly Problem[] {
  const problems = checkQualifiedName(name).map((text) => invalid(path, name, text));
  const isStandard = STANDARD_NAMES.has(name) || isHugePage(name);
  if (!name.includes('/')) {
    if (problems.length === 0 && !isStandard && !OTHER_NAMES.has(name)) {
      problems.push(invalid(path, name, 'must be a standard resource type or fully qualified'));
    }
    if (!isStandard) problems.push(invalid(path, name, 'must be a standard resource for containers'));
  } else if (!isNative(name) && !isExtended(name)) {
    problems.push(invalid(path, name, "doesn't follow extended resource name standard"));
  }
  return problems;
}

function isHugePage(name: string): boolean {
  return name.startsWith('hugepages-');
}

function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

function isExtended(name: string): boolean {
  return !isNative(name) && !name.startsWith('requests.');
}

/** Extended resources and hugepages cannot be overcommitted. */
function canBeOvercommitted(name: string): boolean {
  return isNative(name) && !isHugePage(name);
}

function quantityProblems(name: string, amount: Json, path: string): readonly Problem[] {
  const quantity = quantityOf(amount);
  if (quantity === undefined) return [];
  const problems: Problem[] = [];
  if (quantity.digits < 0n) {
    problems.push(invalid(path, quoted(String(amount)), 'must be greater than or equal to 0'));
  }
  if ((isHugePage(name) || isExtended(name)) && wholeNumber(quantity) === undefined) {
    problems.push(invalid(path, formatQuantity(quantity), 'must be an integer'));
  }
  return problems;
}

type RequestPaths = { readonly limitPath: string; readonly requestPath: string };

function requestProblems(
  name: string,
  amount: Json,
  limit: Json | undefined,
  { limitPath, requestPath }: RequestPaths,
): readonly Problem[] {
  if (limit === undefined) {
    if (canBeOvercommitted(name)) return [];
    return [required(limitPath, 'Limit must be set for non overcommitable resources')];
  }
  const [requested, allowed] = [quantityOf(amount), quantityOf(limit)];
  if (requested === undefined || allowed === undefined) return [];
  const order = compareQuantities(requested, allowed);
  const formatted = quoted(String(amount));
  if (!canBeOvercommitted(name)) {
    return order === 0 ? [] : [invalid(requestPath, formatted, `must be equal to ${name} limit of ${limit}`)];
  }
  if (order <= 0) return [];
  return [invalid(requestPath, formatted, `must be less than or equal to ${name} limit of ${limit}`)];
}

/** Hugepages must be integers. */
function pageProblems(name: string, amount: Json, path: string): readonly Problem[] {
  const page = isHugePage(name) ? bytesOf(name.slice('hugepages-'.length)) : 0n;
  if (page <= 0n || bytesOf(amount) % page === 0n) return [];
  return [invalid(path, quoted(String(amount)), `${amount} is not positive integer multiple of ${name}`)];
}

function bytesOf(amount: Json): bigint {
  const quantity = quantityOf(amount);
  return quantity === undefined ? 0n : (wholeNumber(quantity) ?? 0n);
}

function hugePageProblems(names: readonly string[], path: string): readonly Problem[] {
  const needsMore = names.some(isHugePage) && !names.includes('cpu') && !names.includes('memory');
  return needsMore ? [forbidden(path, 'HugePages require cpu or memory')] : [];
}

/** Quantities were validated when the object was decoded; undefined for anything else. */
export function quantityOf(amount: Json | undefined): Quantity | undefined {
  if (typeof amount !== 'string' && typeof amount !== 'number') return undefined;
  const quantity = parseQuantity(String(amount));
  return 'error' in quantity ? undefined : quantity;
}

/** Formats a quantity as Go prints the struct. */
function formatQuantity(quantity: Quantity): string {
  let { digits, scale } = quantity;
  while (scale > 0 && digits % 10n === 0n) {
    digits /= 10n;
    scale -= 1;
  }
  const amount = `resource.int64Amount{value:${digits}, scale:${-scale}}`;
  return `resource.Quantity{i:${amount}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"", Format:"DecimalSI"}`;
}
