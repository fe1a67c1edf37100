/**
 * Validation of node selectors, affinity, tolerations and topology spread constraints.
 */

import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import {
  numberAt,
  objectAt,
  objectsAt,
  optionalNumberAt,
  stringAt,
  stringsAt,
  valueAt,
} from '../../../base/json-fields.ts';
import { quoted } from '../../../base/text/index.ts';
import { checkLabelValue, checkQualifiedName, selectorProblems } from '../../../kubernetes/meta/index.ts';
import { duplicate, forbidden, invalid, invalidText, required, unsupportedText } from '../field-problems.ts';
import { dnsLabelProblems, dnsSubdomainProblems, qualifiedNameProblems } from '../name-problems.ts';

export const TAINT_EFFECTS: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function tolerationProblems(spec: JsonObject, path: string): readonly Problem[] {
  return objectsAt(spec, 'tolerations').flatMap((toleration, index) => {
    const at = `${path}[${index}]`;
    const [key, operator, effect] = ['key', 'operator', 'effect'].map((field) => stringAt(toleration, field));
    const problems = key === undefined || key === '' ? [] : [...qualifiedNameProblems(`${at}.key`, key)];
    if (key === '' && operator !== 'Exists') {
      const detail =
        'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      problems.push(invalidText(`${at}.operator`, operator ?? '', detail));
    }
    if (optionalNumberAt(toleration, 'tolerationSeconds') !== undefined && effect !== 'NoExecute') {
      const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
      problems.push(invalidText(`${at}.effect`, effect ?? '', detail));
    }
    problems.push(...operatorProblems(toleration, `${at}.operator`));
    if (effect !== undefined && effect !== '' && !TAINT_EFFECTS.includes(effect)) {
      problems.push(unsupportedText(`${at}.effect`, effect, TAINT_EFFECTS));
    }
    return problems;
  });
}

function operatorProblems(toleration: JsonObject, path: string): readonly Problem[] {
  const value = stringAt(toleration, 'value');
  const operator = stringAt(toleration, 'operator');
  switch (operator) {
    case '':
    case 'Equal': {
      const texts = checkLabelValue(value);
      return texts.length === 0 ? [] : [invalidText(path, value, texts.join(';'))];
    }
    case 'Exists':
      return value === ''
        ? []
        : [invalidText(path, value, "value must be empty when `operator` is 'Exists'")];
    default:
      return [unsupportedText(path, operator, ['Equal', 'Exists'])];
  }
}

const REQUIRED_TERMS = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED_TERMS = 'preferredDuringSchedulingIgnoredDuringExecution';

export function affinityProblems(spec: JsonObject, path: string): readonly Problem[] {
  const node = objectAt(spec, 'affinity', 'nodeAffinity');
  return [
    ...(node === undefined ? [] : nodeAffinityProblems(node, `${path}.nodeAffinity`)),
    ...['podAffinity', 'podAntiAffinity'].flatMap((kind) => {
      const affinity = objectAt(spec, 'affinity', kind);
      return affinity === undefined ? [] : podAffinityProblems(affinity, `${path}.${kind}`);
    }),
  ];
}

function nodeAffinityProblems(affinity: JsonObject, path: string): readonly Problem[] {
  const selector = objectAt(affinity, REQUIRED_TERMS);
  return [
    ...(selector === undefined ? [] : nodeSelectorProblems(selector, `${path}.${REQUIRED_TERMS}`)),
    ...objectsAt(affinity, PREFERRED_TERMS).flatMap((term, index) => {
      const at = `${path}.${PREFERRED_TERMS}[${index}]`;
      const preference = objectAt(term, 'preference') ?? {};
      return [...weightProblems(term, `${at}.weight`), ...nodeTermProblems(preference, `${at}.preference`)];
    }),
  ];
}

function nodeSelectorProblems(selector: JsonObject, path: string): readonly Problem[] {
  const terms = objectsAt(selector, 'nodeSelectorTerms');
  const at = `${path}.nodeSelectorTerms`;
  if (terms.length === 0) return [required(at, 'must have at least one node selector term')];
  return terms.flatMap((term, index) => nodeTermProblems(term, `${at}[${index}]`));
}

function nodeTermProblems(term: JsonObject, path: string): readonly Problem[] {
  return [
    ...objectsAt(term, 'matchExpressions').flatMap((demand, index) =>
      nodeRequirementProblems(demand, `${path}.matchExpressions[${index}]`),
    ),
    ...objectsAt(term, 'matchFields').flatMap((demand, index) =>
      nodeFieldProblems(demand, `${path}.matchFields[${index}]`),
    ),
  ];
}

function nodeRequirementProblems(demand: JsonObject, path: string): readonly Problem[] {
  const key = stringAt(demand, 'key');
  return [
    ...nodeOperatorProblems(demand, path),
    ...checkQualifiedName(key).map((text) => invalidText(`${path}.key`, key, text)),
  ];
}

function nodeOperatorProblems(demand: JsonObject, path: string): readonly Problem[] {
  const operator = stringAt(demand, 'operator');
  const count = stringsAt(demand, 'values').length;
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (count > 0) return [];
      return [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (count === 0) return [];
      return [
        forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      ];
    case 'Gt':
    case 'Lt':
      if (count === 1) return [];
      return [required(`${path}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalidText(`${path}.operator`, operator, 'not a valid selector operator')];
  }
}

/** The only supported node field is `metadata.name`, with a single value. */
function nodeFieldProblems(demand: JsonObject, path: string): readonly Problem[] {
  const key = stringAt(demand, 'key');
  const operator = stringAt(demand, 'operator');
  const values = stringsAt(demand, 'values');
  const problems: Problem[] = [];
  if (operator !== 'In' && operator !== 'NotIn') {
    problems.push(invalidText(`${path}.operator`, operator, 'not a valid selector operator'));
  } else if (values.length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    problems.push(required(`${path}.values`, detail));
  }
  if (key !== 'metadata.name') {
    problems.push(invalidText(`${path}.key`, key, 'not a valid field selector key'));
    return problems;
  }
  return [
    ...problems,
    ...values.flatMap((value, index) => dnsSubdomainProblems(`${path}.values[${index}]`, value)),
  ];
}

function podAffinityProblems(affinity: JsonObject, path: string): readonly Problem[] {
  return [
    ...objectsAt(affinity, REQUIRED_TERMS).flatMap((term, index) =>
      podTermProblems(term, `${path}.${REQUIRED_TERMS}[${index}]`),
    ),
    ...objectsAt(affinity, PREFERRED_TERMS).flatMap((term, index) => {
      const at = `${path}.${PREFERRED_TERMS}[${index}]`;
      const inner = objectAt(term, 'podAffinityTerm') ?? {};
      return [...weightProblems(term, `${at}.weight`), ...podTermProblems(inner, `${at}.podAffinityTerm`)];
    }),
  ];
}

function podTermProblems(term: JsonObject, path: string): readonly Problem[] {
  const key = stringAt(term, 'topologyKey');
  const at = `${path}.topologyKey`;
  return [
    ...selectorProblems(objectAt(term, 'labelSelector'), `${path}.labelSelector`),
    ...selectorProblems(objectAt(term, 'namespaceSelector'), `${path}.namespaceSelector`),
    ...stringsAt(term, 'namespaces').flatMap((name) => dnsLabelProblems(`${path}.namespace`, name)),
    ...(key === '' ? [required(at, 'can not be empty')] : []),
    ...qualifiedNameProblems(at, key),
  ];
}

function weightProblems(term: JsonObject, path: string): readonly Problem[] {
  const weight = numberAt(term, 'weight');
  return weight >= 1 && weight <= 100 ? [] : [invalid(path, String(weight), 'must be in the range 1-100')];
}

const WHEN_UNSATISFIABLE = ['DoNotSchedule', 'ScheduleAnyway'];
const INCLUSION_POLICIES = ['Honor', 'Ignore'];

export function spreadProblems(spec: JsonObject, path: string): readonly Problem[] {
  const constraints = objectsAt(spec, 'topologySpreadConstraints');
  const kinds = constraints.map(
    (one) => `{${stringAt(one, 'topologyKey')}, ${stringAt(one, 'whenUnsatisfiable')}}`,
  );
  const last = new Map(kinds.map((kind, index) => [kind, index]));
  return constraints.flatMap((constraint, index) => {
    const at = `${path}[${index}]`;
    const kind = kinds[index] ?? '';
    return [
      ...constraintProblems(constraint, at),
      // kube-apiserver reports the first of two duplicates.
      ...(last.get(kind) === index
        ? []
        : [duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, quoted(kind))]),
      ...selectorProblems(objectAt(constraint, 'labelSelector'), `${at}.labelSelector`),
    ];
  });
}

function constraintProblems(constraint: JsonObject, path: string): readonly Problem[] {
  const skew = numberAt(constraint, 'maxSkew');
  const when = stringAt(constraint, 'whenUnsatisfiable');
  const domains = valueAt(constraint, 'minDomains');
  const problems: Problem[] = [];
  if (skew <= 0) problems.push(invalid(`${path}.maxSkew`, String(skew), 'must be greater than zero'));
  if (stringAt(constraint, 'topologyKey') === '') {
    problems.push(required(`${path}.topologyKey`, 'can not be empty'));
  }
  if (!WHEN_UNSATISFIABLE.includes(when)) {
    problems.push(unsupportedText(`${path}.whenUnsatisfiable`, when, WHEN_UNSATISFIABLE));
  }
  if (typeof domains === 'number') {
    if (domains <= 0) {
      problems.push(invalid(`${path}.minDomains`, String(domains), 'must be greater than zero'));
    }
    if (when !== 'DoNotSchedule') {
      const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${when}`;
      problems.push(invalid(`${path}.minDomains`, String(domains), detail));
    }
  }
  for (const field of ['nodeAffinityPolicy', 'nodeTaintsPolicy']) {
    const policy = valueAt(constraint, field);
    if (typeof policy === 'string' && !INCLUSION_POLICIES.includes(policy)) {
      problems.push(unsupportedText(`${path}.${field}`, policy, INCLUSION_POLICIES));
    }
  }
  return problems;
}
