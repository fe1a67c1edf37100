/**
 * The strategy of Nodes: pod CIDRs and the provider ID are immutable once set.
 */

import type { Problem } from '../../base/errors.ts';
import { type JsonObject, jsonEqual } from '../../base/json.ts';
import {
  objectAt,
  objectsAt,
  optionalStringAt,
  optionalStringsAt,
  stringAt,
  stringsAt,
  valueAt,
} from '../../base/json-fields.ts';
import { parseNetwork, quoted } from '../../base/text/index.ts';
import { checkLabelValue, checkQualifiedName } from '../../kubernetes/meta/index.ts';
import { node } from '../../kubernetes/types/index.ts';
import { builtinStrategy, statusSubresource } from './builtin-strategy.ts';
import { goStrings } from './decoding/go-format.ts';
import { forbidden, invalid, invalidText, required, unsupportedText } from './field-problems.ts';
import { withChangedField, withDefaults, withOldStatus, without } from './object-edits.ts';
import { quantityOf } from './pods/resource-problems.ts';
import { TAINT_EFFECTS } from './pods/scheduling-problems.ts';
import type { SubresourceStrategy } from './strategy.ts';

const plainStatusSubresource = statusSubresource({
  validateUpdate: (object) => [...amountProblems(object), ...addressProblems(object)],
});

const nodeStatusSubresource: SubresourceStrategy = {
  ...plainStatusSubresource,
  prepareForUpdate: (object, old, context) =>
    withChangedField(plainStatusSubresource.prepareForUpdate(object, old, context), 'status', (status) =>
      without(status, 'config'),
    ),
};

export const nodeStrategy = builtinStrategy({
  of: node,
  afterSchemaDefaults: (object) =>
    withChangedField(withChangedField(object, 'spec', withPodCidrs), 'status', withAllocatable),
  prepareForCreate: withoutConfigSource,
  prepareForUpdate: (object, old) => withOldStatus(withoutConfigSource(object), old),
  validateCreate: wholeProblems,
  validateUpdate: (object, old) => [
    ...wholeProblems(object),
    ...amountProblems(object),
    ...addressProblems(object),
    ...changeProblems(object, old),
    ...taintProblems(object),
    ...externalIdProblems(object, old),
  ],
  warnings: (object) =>
    optionalStringAt(object, 'spec', 'externalID') === undefined
      ? []
      : ['spec.externalID: this field is deprecated, and is unused by Kubernetes'],
  subresources: { status: nodeStatusSubresource },
  resetFields: [['status']],
});

/** `podCIDR` mirrors the first of `podCIDRs`. */
function withPodCidrs(spec: JsonObject): JsonObject {
  const range = stringAt(spec, 'podCIDR');
  const [first = ''] = stringsAt(spec, 'podCIDRs');
  if (range === '') return first === '' ? spec : { ...spec, podCIDR: first };
  return range === first ? spec : { ...spec, podCIDRs: [range] };
}

function withAllocatable(status: JsonObject): JsonObject {
  const capacity = objectAt(status, 'capacity');
  return capacity === undefined ? status : withDefaults(status, { allocatable: capacity });
}

/** Dynamic kubelet configuration was removed from Kubernetes; its field is dropped. */
function withoutConfigSource(object: JsonObject): JsonObject {
  return withChangedField(object, 'spec', (spec) => without(spec, 'configSource'));
}

function wholeProblems(object: JsonObject): readonly Problem[] {
  return [...taintProblems(object), ...amountProblems(object), ...rangeProblems(object)];
}

/** kube-apiserver reports taints under `metadata`. */
function taintProblems(object: JsonObject): readonly Problem[] {
  const seen = new Set<string>();
  return objectsAt(object, 'spec', 'taints').flatMap((taint, index) => {
    const path = `metadata.taints[${index}]`;
    const [key = '', value = '', effect = ''] = ['key', 'value', 'effect'].map((field) =>
      stringAt(taint, field),
    );
    const kind = `${key}:${effect}`;
    const problems = [
      ...checkQualifiedName(key).map((text) => invalidText(`${path}.key`, key, text)),
      ...checkLabelValue(value).map((text) => invalidText(`${path}.value`, value, text)),
      ...effectProblems(effect, `${path}.effect`),
    ];
    if (seen.has(kind)) problems.push(duplicateTaint(path, { key, value, effect }));
    seen.add(kind);
    return problems;
  });
}

function effectProblems(effect: string, path: string): readonly Problem[] {
  if (effect === '') return [required(path)];
  return TAINT_EFFECTS.includes(effect) ? [] : [unsupportedText(path, effect, TAINT_EFFECTS)];
}

type Taint = { readonly key: string; readonly value: string; readonly effect: string };

function duplicateTaint(path: string, { key, value, effect }: Taint): Problem {
  const formatted = `core.Taint{Key:${quoted(key)}, Value:${quoted(value)}, Effect:${quoted(effect)}, TimeAdded:<nil>}`;
  return {
    path,
    message: `Duplicate value: ${formatted}: taints must be unique by key and effect pair`,
    reason: 'FieldValueDuplicate',
  };
}

function amountProblems(object: JsonObject): readonly Problem[] {
  return ['capacity', 'allocatable'].flatMap((kind) =>
    Object.entries(objectAt(object, 'status', kind) ?? {}).flatMap(([resource, amount]) => {
      if ((quantityOf(amount)?.digits ?? 0n) >= 0n) return [];
      const path = `status.${kind}.${resource}`;
      return [invalid(path, quoted(String(amount)), 'must be greater than or equal to 0')];
    }),
  );
}

function addressProblems(object: JsonObject): readonly Problem[] {
  const seen = new Set<string>();
  return objectsAt(object, 'status', 'addresses').flatMap((address, index) => {
    const formatted = `core.NodeAddress{Type:${quoted(stringAt(address, 'type'))}, Address:${quoted(stringAt(address, 'address'))}}`;
    const path = `status.addresses[${index}]`;
    const isDuplicate = seen.has(formatted);
    seen.add(formatted);
    return isDuplicate
      ? [{ path, message: `Duplicate value: ${formatted}`, reason: 'FieldValueDuplicate' }]
      : [];
  });
}

const NOT_A_NETWORK = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

function rangeProblems(object: JsonObject): readonly Problem[] {
  const ranges = stringsAt(object, 'spec', 'podCIDRs');
  const families = ranges.map((range) => parseNetwork(range)?.address.family);
  const isDualStack = new Set(families).size < families.length || ranges.length > 2;
  return [
    ...ranges.flatMap((range, index) =>
      families[index] === undefined ? [invalidText(`spec.podCIDRs[${index}]`, range, NOT_A_NETWORK)] : [],
    ),
    ...(isDualStack && !families.includes(undefined)
      ? [invalid('spec.podCIDRs', goStrings(ranges), 'may specify no more than one CIDR for each IP family')]
      : []),
  ];
}

function changeProblems(object: JsonObject, old: JsonObject): readonly Problem[] {
  const problems: Problem[] = [];
  const [ranges, before] = [object, old].map((one) => valueAt(one, 'spec', 'podCIDRs') ?? []);
  if (optionalStringsAt(old, 'spec', 'podCIDRs') !== undefined && !jsonEqual(ranges, before)) {
    const detail = 'node updates may not change podCIDR except from "" to valid';
    problems.push(forbidden('spec.podCIDRs', detail));
  }
  const provider = stringAt(old, 'spec', 'providerID');
  if (provider !== '' && provider !== stringAt(object, 'spec', 'providerID')) {
    const detail = 'node updates may not change providerID except from "" to valid';
    problems.push(forbidden('spec.providerID', detail));
  }
  return problems;
}

function externalIdProblems(object: JsonObject, old: JsonObject): readonly Problem[] {
  const isSame = stringAt(object, 'spec', 'externalID') === stringAt(old, 'spec', 'externalID');
  return isSame ? [] : [forbidden('spec.externalID', 'may not be updated')];
}
