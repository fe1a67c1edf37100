/**
 * Kubernetes' quantities in rules: `quantity(self).compareTo(quantity('5Gi')) <= 0`.
 */

import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
  wholeNumber,
} from '../../base/text/index.ts';
import { BOOL, DOUBLE, INT, STRING, type TypeOf } from './cel-type.ts';
import { type Library, overload, traversal } from './overloads.ts';
import { EvaluationError, type Opaque } from './values.ts';

class QuantityValue implements Opaque {
  readonly opaque = 'kubernetes.Quantity';
  readonly quantity: Quantity;
  constructor(quantity: Quantity) {
    this.quantity = quantity;
  }
  equals(other: Opaque): boolean {
    return other instanceof QuantityValue && compareQuantities(this.quantity, other.quantity) === 0;
  }
}

const QUANTITY: TypeOf<QuantityValue> = { kind: 'opaque', name: 'kubernetes.Quantity' };

export const QUANTITIES: Library = {
  functions: {
    quantity: [overload([STRING], QUANTITY, quantityOf, traversal())],
    isQuantity: [overload([STRING], BOOL, (text) => 'digits' in parseQuantity(text), traversal())],
    sign: [overload([QUANTITY], INT, (value) => BigInt(compare(value, whole(0n))))],
  },
  methods: {
    isGreaterThan: [overload([QUANTITY, QUANTITY], BOOL, (a, b) => compare(a, b) > 0)],
    isLessThan: [overload([QUANTITY, QUANTITY], BOOL, (a, b) => compare(a, b) < 0)],
    compareTo: [overload([QUANTITY, QUANTITY], INT, (a, b) => BigInt(compare(a, b)))],
    isInteger: [overload([QUANTITY], BOOL, (value) => wholeNumber(value.quantity) !== undefined)],
    asInteger: [overload([QUANTITY], INT, integerOf)],
    asApproximateFloat: [
      overload([QUANTITY], DOUBLE, ({ quantity }) => Number(quantity.digits) / 10 ** quantity.scale),
    ],
    add: [
      overload([QUANTITY, QUANTITY], QUANTITY, (a, b) => plus(a, b, 1n)),
      overload([QUANTITY, INT], QUANTITY, (a, b) => plus(a, whole(b), 1n)),
    ],
    sub: [
      overload([QUANTITY, QUANTITY], QUANTITY, (a, b) => plus(a, b, -1n)),
      overload([QUANTITY, INT], QUANTITY, (a, b) => plus(a, whole(b), -1n)),
    ],
  },
};

function quantityOf(text: string): QuantityValue {
  const quantity = parseQuantity(text);
  if ('error' in quantity) throw new EvaluationError(quantity.error);
  return new QuantityValue(quantity);
}

function integerOf({ quantity }: QuantityValue): bigint {
  const value = wholeNumber(quantity);
  if (value === undefined) throw new EvaluationError('cannot convert value to integer');
  return value;
}

function whole(value: bigint): QuantityValue {
  return new QuantityValue({ digits: value, scale: 0 });
}

function compare(left: QuantityValue, right: QuantityValue): number {
  return compareQuantities(left.quantity, right.quantity);
}

function plus(left: QuantityValue, right: QuantityValue, sign: bigint): QuantityValue {
  const { digits, scale } = right.quantity;
  return new QuantityValue(addQuantities(left.quantity, { digits: digits * sign, scale }));
}
