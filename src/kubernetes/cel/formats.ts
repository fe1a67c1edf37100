/**
 * Kubernetes' named formats in rules: `!format.dns1123Label().validate(self).hasValue()`.
 */

import { FORMATS, parseUrl } from '../../base/text/index.ts';
import {
  asPrefix,
  checkDns1035Label,
  checkDnsLabel,
  checkDnsSubdomain,
  checkLabelValue,
  checkQualifiedName,
} from '../meta/index.ts';
import { listOf, optionalOf, STRING, type TypeOf } from './cel-type.ts';
import { type Cost, type Library, overload, sizeForCost } from './overloads.ts';
import { ListValue, type Opaque, OptionalValue } from './values.ts';

type Check = (text: string) => readonly string[];

class FormatValue implements Opaque {
  readonly opaque = 'kubernetes.NamedFormat';
  readonly name: string;
  readonly check: Check;
  constructor(name: string, check: Check) {
    this.name = name;
    this.check = check;
  }
  equals(other: Opaque): boolean {
    return other instanceof FormatValue && other.name === this.name;
  }
}

const FORMAT: TypeOf<FormatValue> = { kind: 'opaque', name: 'kubernetes.NamedFormat' };

const CHECKS: { readonly [name: string]: Check } = {
  dns1123Label: checkDnsLabel,
  dns1123Subdomain: checkDnsSubdomain,
  dns1035Label: checkDns1035Label,
  qualifiedName: checkQualifiedName,
  dns1123LabelPrefix: asPrefix(checkDnsLabel),
  dns1123SubdomainPrefix: asPrefix(checkDnsSubdomain),
  dns1035LabelPrefix: asPrefix(checkDns1035Label),
  labelValue: checkLabelValue,
  uri: checkUri,
  uuid: schemaFormat('uuid', 'does not match the UUID format'),
  byte: schemaFormat('byte', 'invalid base64'),
  date: schemaFormat('date', 'invalid date'),
  datetime: schemaFormat('datetime', 'invalid datetime'),
};

const NAMED: ReadonlyMap<string, FormatValue> = new Map(
  Object.entries(CHECKS).map(([name, check]) => [name, new FormatValue(name, check)]),
);

/** As for a regular expression of some length. */
const checkCost: Cost = ([, text]) => Math.ceil((1 + sizeForCost(text)) * 0.1) * 15;

export const FORMATS_LIBRARY: Library = {
  functions: {
    ...Object.fromEntries(
      [...NAMED].map(([name, format]) => [`format.${name}`, [overload([], FORMAT, () => format)]]),
    ),
    'format.named': [overload([STRING], optionalOf(FORMAT), (name) => new OptionalValue(NAMED.get(name)))],
  },
  methods: {
    validate: [overload([FORMAT, STRING], optionalOf(listOf(STRING)), validationErrors, checkCost)],
  },
};

function validationErrors(format: FormatValue, text: string): OptionalValue {
  const found = format.check(text);
  return found.length === 0 ? OptionalValue.NONE : new OptionalValue(new ListValue(found));
}

function checkUri(text: string): readonly string[] {
  const outcome = parseUrl(text);
  return 'error' in outcome ? [outcome.error] : [];
}

function schemaFormat(name: string, message: string): Check {
  return (text) => (FORMATS.get(name)?.(text) ? [] : [message]);
}
