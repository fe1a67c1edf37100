/**
 * What is wrong with a service.
 */
import type { Problem } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { containsAddress, parseNetwork, parseSloppyAddress, quoted } from '../text/index.ts';
import { addressRangeProblems } from './addresses.ts';
import { duplicate, forbidden, invalid, invalidText, required, unsupportedText } from './field-problems.ts';
import {
  itemsAt,
  numberAt,
  objectAt,
  optionalTextAt,
  textAt,
  textMapAt,
  textsAt,
  valueAt,
} from './json-fields.ts';
import { dnsLabelProblems, dnsSubdomainProblems, qualifiedNameProblems } from './names-in-fields.ts';
import { labelProblems } from './object-meta.ts';
import { addressProblems } from './pod-spec.ts';
import { portOrNameProblems, portProblems, protocolProblems } from './ports.ts';
import { isExternallyAccessible } from './service-defaults.ts';
import { shownTexts } from './shown-values.ts';

export function serviceProblems(object: JsonObject): readonly Problem[] {
  const spec = objectAt(object, 'spec') ?? {};
  return [
    ...shapeProblems(spec),
    ...portsProblems(spec),
    ...labelProblems('spec.selector', textMapAt(spec, 'selector') ?? {}),
    ...affinityProblems(spec),
    ...clusterAddressProblems(spec),
    ...externalAddressProblems(spec),
    ...typeProblems(spec),
    ...nodePortProblems(spec),
    ...trafficProblems(spec),
  ];
}

/** An address that was given stays. */
export function serviceUpdateProblems(object: JsonObject, old: JsonObject): readonly Problem[] {
  const [addresses, before] = [object, old].map((one) => textsAt(one, 'spec', 'clusterIPs') ?? []);
  const [first, oldFirst] = [addresses?.[0], before?.[0]];
  const isLeading = [object, old].some((one) => textAt(one, 'spec', 'type') === 'ExternalName');
  if (isLeading || oldFirst === undefined || first === oldFirst) return [];
  return [invalid('spec.clusterIPs[0]', shownTexts(addresses), 'may not change once set')];
}

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

/** What a service of this type must or must not say. */
function shapeProblems(spec: JsonObject): readonly Problem[] {
  const isHeadless = textAt(spec, 'clusterIP') === 'None';
  const hasPorts = itemsAt(spec, 'ports').length > 0;
  if (textAt(spec, 'type') === 'ExternalName') {
    const name = textAt(spec, 'externalName').replace(/\.$/, '');
    return name === '' ? [required('spec.externalName')] : dnsSubdomainProblems('spec.externalName', name);
  }
  return hasPorts || isHeadless ? [] : [required('spec.ports')];
}

function portsProblems(spec: JsonObject): readonly Problem[] {
  const ports = itemsAt(spec, 'ports');
  const names = new Set<string>();
  return [
    ...ports.flatMap((port, index) =>
      servicePortProblems(port, `spec.ports[${index}]`, { names, needsName: ports.length > 1 }),
    ),
    ...repeatedPorts(ports),
  ];
}

type NameRules = { readonly names: Set<string>; readonly needsName: boolean };

function servicePortProblems(port: JsonObject, path: string, rules: NameRules): readonly Problem[] {
  const spoken = optionalTextAt(port, 'appProtocol');
  return [
    ...portNameProblems(textAt(port, 'name'), `${path}.name`, rules),
    ...portProblems(`${path}.port`, numberAt(port, 'port') ?? 0),
    ...protocolProblems(`${path}.protocol`, textAt(port, 'protocol')),
    ...portOrNameProblems(`${path}.targetPort`, valueAt(port, 'targetPort')),
    ...(spoken === undefined ? [] : qualifiedNameProblems(`${path}.appProtocol`, spoken)),
  ];
}

function portNameProblems(name: string, path: string, { names, needsName }: NameRules): readonly Problem[] {
  if (name === '') return needsName ? [required(path)] : [];
  const repeated = names.has(name) ? [duplicate(path, quoted(name))] : [];
  names.add(name);
  return [...dnsLabelProblems(path, name), ...repeated];
}

/** The server shows what is left of the port when its name and target are taken off. */
function repeatedPorts(ports: readonly JsonObject[]): readonly Problem[] {
  const seen = new Set<string>();
  return ports.flatMap((port, index) => {
    const [protocol, number] = [quoted(textAt(port, 'protocol')), numberAt(port, 'port') ?? 0];
    const shown = `core.ServicePort{Name:"", Protocol:${protocol}, AppProtocol:(*string)(nil), Port:${number}, TargetPort:intstr.IntOrString{Type:0, IntVal:0, StrVal:""}, NodePort:0}`;
    const isRepeated = seen.has(shown);
    seen.add(shown);
    return isRepeated ? [duplicate(`spec.ports[${index}]`, shown)] : [];
  });
}

const MAX_AFFINITY_SECONDS = 86_400;

function affinityProblems(spec: JsonObject): readonly Problem[] {
  const affinity = textAt(spec, 'sessionAffinity');
  if (affinity !== 'ClientIP') return affinity === 'None' ? [] : [unsupportedAffinity(affinity)];
  const seconds = numberAt(spec, 'sessionAffinityConfig', 'clientIP', 'timeoutSeconds') ?? 0;
  if (seconds > 0 && seconds <= MAX_AFFINITY_SECONDS) return [];
  const detail = `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`;
  return [invalid('spec.sessionAffinityConfig.clientIP.timeoutSeconds', String(seconds), detail)];
}

function unsupportedAffinity(affinity: string): Problem {
  return unsupportedText('spec.sessionAffinity', affinity, ['ClientIP', 'None']);
}

const RANGE = '10.96.0.0/16';
const FAMILIES = ['IPv4', 'IPv6'];
const POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

function clusterAddressProblems(spec: JsonObject): readonly Problem[] {
  const addresses = textsAt(spec, 'clusterIPs') ?? [];
  const [first] = addresses;
  if (textAt(spec, 'type') === 'ExternalName' || first === undefined) return familyProblems(spec);
  if (textAt(spec, 'clusterIP') === '') {
    const detail = 'must be empty when `clusterIP` is not specified';
    return [invalid('spec.clusterIPs', shownTexts(addresses), detail)];
  }
  if (textAt(spec, 'clusterIP') !== first) {
    return [invalid('spec.clusterIPs', shownTexts(addresses), 'first value must match `clusterIP`')];
  }
  if (first === 'None') return [];
  const forms = addressProblems('spec.clusterIPs[0]', first);
  if (forms.length > 0) return forms;
  if ((textsAt(spec, 'ipFamilies') ?? [])[0] === 'IPv6' && !first.includes(':')) {
    const detail = 'expected an IPv6 value as indicated by `ipFamilies[0]`';
    return [invalidText('spec.clusterIPs[0]', first, detail)];
  }
  return [...familyProblems(spec), ...outsideProblems(first, addresses)];
}

/** One family is served: that of the range. */
function familyProblems(spec: JsonObject): readonly Problem[] {
  const policy = optionalTextAt(spec, 'ipFamilyPolicy');
  const isHeadless = textAt(spec, 'clusterIP') === 'None';
  const problems: Problem[] = [];
  if (policy !== undefined && !POLICIES.includes(policy)) {
    problems.push(unsupportedText('spec.ipFamilyPolicy', policy, POLICIES));
  } else if (policy === 'RequireDualStack' && !isHeadless) {
    const detail = 'this cluster is not configured for dual-stack services';
    problems.push(invalidText('spec.ipFamilyPolicy', policy, detail));
  }
  (textsAt(spec, 'ipFamilies') ?? []).forEach((family, index) => {
    const path = `spec.ipFamilies[${index}]`;
    if (!FAMILIES.includes(family)) problems.push(unsupportedText(path, family, FAMILIES));
    else if (family === 'IPv6') problems.push(invalidText(path, family, 'not configured on this cluster'));
  });
  return problems;
}

function outsideProblems(address: string, addresses: readonly string[]): readonly Problem[] {
  const [network, parsed] = [parseNetwork(RANGE), parseSloppyAddress(address)];
  if (network === undefined || parsed === undefined || containsAddress(network, parsed)) return [];
  const detail = `failed to allocate IP ${address}: the provided IP (${address}) is not in the valid range. The range of valid IPs is ${RANGE}`;
  return [invalid('spec.clusterIPs', shownTexts(addresses), detail)];
}

function externalAddressProblems(spec: JsonObject): readonly Problem[] {
  return (textsAt(spec, 'externalIPs') ?? []).flatMap((address, index) => {
    const path = `spec.externalIPs[${index}]`;
    const forms = addressProblems(path, address);
    return forms.length > 0 ? forms : addressRangeProblems(path, address);
  });
}

const NOT_A_NETWORK = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

function typeProblems(spec: JsonObject): readonly Problem[] {
  const type = textAt(spec, 'type');
  const ranges = textsAt(spec, 'loadBalancerSourceRanges') ?? [];
  return [
    ...(TYPES.includes(type) ? [] : [unsupportedText('spec.type', type, TYPES)]),
    ...ranges.flatMap((range, index) =>
      parseNetwork(range.trim()) === undefined
        ? [invalidText(`spec.LoadBalancerSourceRanges[${index}]`, range, NOT_A_NETWORK)]
        : [],
    ),
  ];
}

function nodePortProblems(spec: JsonObject): readonly Problem[] {
  if (textAt(spec, 'type') !== 'ClusterIP') return [];
  return itemsAt(spec, 'ports').flatMap((port, index) =>
    (numberAt(port, 'nodePort') ?? 0) === 0
      ? []
      : [forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'")],
  );
}

const TRAFFIC = ['Cluster', 'Local'];

function trafficProblems(spec: JsonObject): readonly Problem[] {
  const outer = textAt(spec, 'externalTrafficPolicy');
  const inner = optionalTextAt(spec, 'internalTrafficPolicy');
  const nearness = optionalTextAt(spec, 'trafficDistribution');
  const problems: Problem[] = [];
  if (!isExternallyAccessible(spec)) {
    const detail = 'may only be set for externally-accessible services';
    if (outer !== '') problems.push(invalidText('spec.externalTrafficPolicy', outer, detail));
  } else if (!TRAFFIC.includes(outer)) {
    problems.push(unsupportedText('spec.externalTrafficPolicy', outer, TRAFFIC));
  }
  problems.push(...healthPortProblems(spec, outer));
  if (inner !== undefined && !TRAFFIC.includes(inner)) {
    problems.push(unsupportedText('spec.internalTrafficPolicy', inner, TRAFFIC));
  }
  if (nearness !== undefined && nearness !== 'PreferClose') {
    problems.push(unsupportedText('spec.trafficDistribution', nearness, ['PreferClose']));
  }
  return problems;
}

function healthPortProblems(spec: JsonObject, externalPolicy: string): readonly Problem[] {
  const port = numberAt(spec, 'healthCheckNodePort') ?? 0;
  const needsPort = textAt(spec, 'type') === 'LoadBalancer' && externalPolicy === 'Local';
  if (port === 0 || needsPort) return [];
  const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return [invalid('spec.healthCheckNodePort', String(port), detail)];
}
