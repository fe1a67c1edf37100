/**
 * The IP families of services. The cluster is IPv4 single-stack; only headless services without a selector may have
 * both families.
 */

import type { Problem } from '../../../base/errors.ts';
import { type JsonObject, jsonEqual } from '../../../base/json.ts';
import { optionalStringsAt, stringAt, stringsAt } from '../../../base/json-fields.ts';
import { parseSloppyAddress } from '../../../base/text/index.ts';
import { goStrings } from '../decoding/go-format.ts';
import { invalid, invalidText } from '../field-problems.ts';
import { isIPv6 } from './service-allocation.ts';
import { isOpenToAnyFamily } from './service-types.ts';

/** Sets families and policy as far as they are determined. `old`: undefined for a new service. */
export function withIpFamilies(spec: JsonObject, old: JsonObject | undefined): JsonObject {
  if (stringAt(spec, 'type') === 'ExternalName') return spec;
  const isOpen = isOpenToAnyFamily(spec);
  const policy = stringAt(spec, 'ipFamilyPolicy') || (isOpen ? 'RequireDualStack' : 'SingleStack');
  const given = familiesOf(spec);
  const before = old === undefined ? [] : familiesOf(old);
  const families = given.length > 0 ? given : firstFamilies(spec);
  const isReleased = given.length === 1 && before.length === 2;
  const isDualStack = isOpen && families.length === 1 && policy !== 'SingleStack' && !isReleased;
  // A change to SingleStack that leaves the families unchanged keeps the first.
  const isTrimmed = policy === 'SingleStack' && families.length === 2 && jsonEqual(families, before);
  const settled = isDualStack ? [...families, otherFamily(families[0])] : families;
  return {
    ...spec,
    ipFamilyPolicy: policy,
    ...(settled.length > 0 && { ipFamilies: isTrimmed ? settled.slice(0, 1) : settled }),
  };
}

/** Problems with families that are valid and match the addresses. */
export function ipFamilyProblems(spec: JsonObject, old: JsonObject | undefined): readonly Problem[] {
  const unfit = consistencyProblems(spec, old);
  if (unfit.length > 0 || isOpenToAnyFamily(spec)) return unfit;
  const policy = stringAt(spec, 'ipFamilyPolicy');
  return [
    ...(policy === 'RequireDualStack' ? [policyProblem(policy, NOT_DUAL)] : []),
    ...familiesOf(spec).flatMap((family, index) =>
      family === 'IPv6'
        ? [invalidText(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster')]
        : [],
    ),
  ];
}

const NOT_DUAL = 'this cluster is not configured for dual-stack services';

/** Families, addresses and policy that contradict each other. */
function consistencyProblems(spec: JsonObject, old: JsonObject | undefined): readonly Problem[] {
  const policy = stringAt(spec, 'ipFamilyPolicy');
  const families = familiesOf(spec);
  const addresses = stringsAt(spec, 'clusterIPs');
  const problems: Problem[] = [];
  if (policy !== 'SingleStack') {
    const wasDualStack = old !== undefined && familiesOf(old).length === 2;
    const isReleased = wasDualStack && families.length === 1 && isOpenToAnyFamily(spec);
    const detail = "must be 'SingleStack' to release the secondary IP family";
    if (isReleased) problems.push(policyProblem(policy, detail));
  } else {
    if (addresses.length > 1) problems.push(policyProblem(policy, mustBeDual('cluster IPs')));
    if (families.length > 1) problems.push(policyProblem(policy, mustBeDual('IP families')));
  }
  addresses.forEach((address, index) => {
    if (index < families.length || !isIPv6(address)) return;
    const detail = 'IPv6 is not configured on this cluster';
    problems.push(invalid(`spec.clusterIPs[${index}]`, goStrings(addresses), detail));
  });
  return problems;
}

function mustBeDual(what: string): string {
  return `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`;
}

function policyProblem(policy: string, detail: string): Problem {
  return invalidText('spec.ipFamilyPolicy', policy, detail);
}

function familiesOf(spec: JsonObject): readonly string[] {
  return stringsAt(spec, 'ipFamilies');
}

/** The family of the address, or the supported one; empty if the address cannot be allocated. */
function firstFamilies(spec: JsonObject): readonly string[] {
  const [first] = optionalStringsAt(spec, 'clusterIPs') ?? [stringAt(spec, 'clusterIP')];
  if (first === undefined || first === '' || first === 'None') return ['IPv4'];
  return isIPv6(first) || parseSloppyAddress(first) === undefined ? [] : ['IPv4'];
}

function otherFamily(family: string | undefined): string {
  return family === 'IPv4' ? 'IPv6' : 'IPv4';
}
