/**
 * Validation of the cluster IPs and IP families of a service by themselves.
 */

import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import { optionalStringAt, stringAt, stringsAt } from '../../../base/json-fields.ts';
import { quoted } from '../../../base/text/index.ts';
import { goStrings } from '../decoding/go-format.ts';
import { duplicate, invalid, invalidText, unsupportedText } from '../field-problems.ts';
import { addressProblems } from '../pods/pod-spec.ts';
import { isIPv6 } from './service-allocation.ts';
import { isHeadless } from './service-types.ts';

export function clusterFieldProblems(spec: JsonObject): readonly Problem[] {
  const addresses = stringsAt(spec, 'clusterIPs');
  const forms = formProblems(addresses);
  const problems = [...agreementProblems(spec, addresses), ...wordProblems(spec), ...forms];
  if (addresses.length > MAX_ADDRESSES) {
    problems.push(listProblem(addresses, `may only hold up to ${MAX_ADDRESSES} values`));
  }
  // The remaining checks need valid addresses.
  if (forms.length > 0) return problems;
  const isMixed = addresses.some(isIPv6) && !addresses.every(isIPv6);
  if (addresses.length > 1 && !isMixed) {
    problems.push(listProblem(addresses, 'may specify no more than one IP for each IP family'));
  }
  return problems.length > 0 || isHeadless(spec) ? problems : mismatchProblems(spec, addresses);
}

const MAX_ADDRESSES = 2;
const FAMILIES = ['IPv4', 'IPv6'];
const POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

/** `clusterIP` must equal the first of `clusterIPs`. */
function agreementProblems(spec: JsonObject, addresses: readonly string[]): readonly Problem[] {
  const single = stringAt(spec, 'clusterIP');
  if (addresses.length === 0 || addresses[0] === (single || undefined)) return [];
  const detail =
    single === '' ? 'must be empty when `clusterIP` is not specified' : 'first value must match `clusterIP`';
  return [listProblem(addresses, detail)];
}

function wordProblems(spec: JsonObject): readonly Problem[] {
  const seen = new Set<string>();
  const families = stringsAt(spec, 'ipFamilies').flatMap((family, index): readonly Problem[] => {
    const path = `spec.ipFamilies[${index}]`;
    const isDuplicate = seen.has(family);
    seen.add(family);
    return [
      ...(FAMILIES.includes(family) ? [] : [unsupportedText(path, family, FAMILIES)]),
      ...(isDuplicate ? [duplicate(path, quoted(family))] : []),
    ];
  });
  const policy = optionalStringAt(spec, 'ipFamilyPolicy');
  const isKnown = policy === undefined || POLICIES.includes(policy);
  return isKnown ? families : [...families, unsupportedText('spec.ipFamilyPolicy', policy, POLICIES)];
}

function formProblems(addresses: readonly string[]): readonly Problem[] {
  return addresses.flatMap((address, index) => {
    if (index > 0 || address !== 'None') return addressProblems(`spec.clusterIPs[${index}]`, address);
    return addresses.length === 1 ? [] : [listProblem(addresses, "'None' must be the first and only value")];
  });
}

/** An address whose family is not the one listed for it. */
function mismatchProblems(spec: JsonObject, addresses: readonly string[]): readonly Problem[] {
  const families = stringsAt(spec, 'ipFamilies');
  return addresses.flatMap((address, index) => {
    const family = families[index];
    if (family === undefined || family === (isIPv6(address) ? 'IPv6' : 'IPv4')) return [];
    const detail = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    return [invalidText(`spec.clusterIPs[${index}]`, address, detail)];
  });
}

function listProblem(addresses: readonly string[], detail: string): Problem {
  return invalid('spec.clusterIPs', goStrings(addresses), detail);
}
