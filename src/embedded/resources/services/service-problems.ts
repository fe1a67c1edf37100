/**
 * Validation of services.
 */

import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import {
  numberAt,
  objectAt,
  objectsAt,
  optionalNumberAt,
  optionalStringAt,
  stringAt,
  stringMapAt,
  stringsAt,
  valueAt,
} from '../../../base/json-fields.ts';
import { parseNetwork, quoted } from '../../../base/text/index.ts';
import { goStrings } from '../decoding/go-format.ts';
import { duplicate, forbidden, invalid, invalidText, required, unsupportedText } from '../field-problems.ts';
import { dnsLabelProblems, dnsSubdomainProblems, qualifiedNameProblems } from '../name-problems.ts';
import { labelProblems } from '../object-meta.ts';
import { addressProblems } from '../pods/pod-spec.ts';
import { addressRangeProblems } from './addresses.ts';
import { portOrNameProblems, portProblems, protocolProblems } from './ports.ts';
import {
  hasClusterIp,
  isExternallyAccessible,
  isHeadless,
  isLoadBalancer,
  mayHaveNodePorts,
  needsHealthPort,
} from './service-types.ts';

export function serviceProblems(object: JsonObject): readonly Problem[] {
  const spec = objectAt(object, 'spec') ?? {};
  return [
    ...typeFieldProblems(spec),
    ...portsProblems(spec),
    ...labelProblems('spec.selector', stringMapAt(spec, 'selector')),
    ...affinityProblems(spec),
    ...externalAddressProblems(spec),
    ...typeProblems(spec),
    ...nodePortProblems(spec),
    ...trafficProblems(spec),
  ];
}

/** Allocated and chosen values are immutable while the type uses them. */
export function serviceUpdateProblems(object: JsonObject, old: JsonObject): readonly Problem[] {
  const [spec, before] = [objectAt(object, 'spec') ?? {}, objectAt(old, 'spec') ?? {}];
  const addresses = stringsAt(spec, 'clusterIPs');
  const [oldFirst] = stringsAt(before, 'clusterIPs');
  const hasChanged = oldFirst !== undefined && addresses[0] !== oldFirst;
  const [health, oldHealth] = [spec, before].map((one) => optionalNumberAt(one, 'healthCheckNodePort'));
  const [loadBalancer, oldLoadBalancer] = [spec, before].map((one) =>
    optionalStringAt(one, 'loadBalancerClass'),
  );
  return [
    ...(hasChanged && hasClusterIp(spec) && hasClusterIp(before)
      ? [invalid('spec.clusterIPs[0]', goStrings(addresses), UNCHANGEABLE)]
      : []),
    ...(needsHealthPort(spec) && needsHealthPort(before) && health !== oldHealth
      ? [forbidden('spec.healthCheckNodePort', 'field is immutable')]
      : []),
    ...(isLoadBalancer(spec) && isLoadBalancer(before) && loadBalancer !== oldLoadBalancer
      ? [invalid('spec.loadBalancerClass', quoted(loadBalancer ?? 'null'), UNCHANGEABLE)]
      : []),
  ];
}

const UNCHANGEABLE = 'may not change once set';
const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

/** Fields that the type requires or forbids. */
function typeFieldProblems(spec: JsonObject): readonly Problem[] {
  const type = stringAt(spec, 'type');
  if (type === 'ExternalName') return externalNameProblems(spec);
  const lacksPorts = objectsAt(spec, 'ports').length === 0 && !isHeadless(spec);
  const detail = `may not be set to 'None' for ${type} services`;
  return [
    ...(lacksPorts ? [required('spec.ports')] : []),
    ...(mayHaveNodePorts(spec) && isHeadless(spec)
      ? [invalidText('spec.clusterIPs[0]', 'None', detail)]
      : []),
  ];
}

/** ExternalName services. */
function externalNameProblems(spec: JsonObject): readonly Problem[] {
  const isSet = (field: string) => valueAt(spec, field) !== undefined;
  const hasAddresses = stringAt(spec, 'clusterIP') !== '' || stringsAt(spec, 'clusterIPs').length > 0;
  const unused = [
    ...(hasAddresses ? ['spec.clusterIPs'] : []),
    ...(stringsAt(spec, 'ipFamilies').length > 0 ? ['spec.ipFamilies'] : []),
    ...(isSet('ipFamilyPolicy') ? ['spec.ipFamilyPolicy'] : []),
  ].map((path) => forbidden(path, 'may not be set for ExternalName services'));
  const name = stringAt(spec, 'externalName').replace(/\.$/, '');
  const problems =
    name === '' ? [required('spec.externalName')] : dnsSubdomainProblems('spec.externalName', name);
  return [...unused, ...problems];
}

function portsProblems(spec: JsonObject): readonly Problem[] {
  const ports = objectsAt(spec, 'ports');
  const names = new Set<string>();
  return [
    ...ports.flatMap((port, index) =>
      servicePortProblems(port, `spec.ports[${index}]`, { names, needsName: ports.length > 1 }),
    ),
    ...duplicatePorts(ports),
  ];
}

type PortNames = { readonly names: Set<string>; readonly needsName: boolean };

function servicePortProblems(port: JsonObject, path: string, names: PortNames): readonly Problem[] {
  const appProtocol = optionalStringAt(port, 'appProtocol');
  return [
    ...portNameProblems(stringAt(port, 'name'), `${path}.name`, names),
    ...portProblems(`${path}.port`, numberAt(port, 'port')),
    ...protocolProblems(`${path}.protocol`, stringAt(port, 'protocol')),
    ...portOrNameProblems(`${path}.targetPort`, valueAt(port, 'targetPort')),
    ...(appProtocol === undefined ? [] : qualifiedNameProblems(`${path}.appProtocol`, appProtocol)),
  ];
}

function portNameProblems(name: string, path: string, { names, needsName }: PortNames): readonly Problem[] {
  if (name === '') return needsName ? [required(path)] : [];
  const duplicates = names.has(name) ? [duplicate(path, quoted(name))] : [];
  names.add(name);
  return [...dnsLabelProblems(path, name), ...duplicates];
}

/** kube-apiserver prints the port without its name and target. */
function duplicatePorts(ports: readonly JsonObject[]): readonly Problem[] {
  const seen = new Set<string>();
  return ports.flatMap((port, index) => {
    const [protocol, number] = [quoted(stringAt(port, 'protocol')), numberAt(port, 'port')];
    const formatted = `core.ServicePort{Name:"", Protocol:${protocol}, AppProtocol:(*string)(nil), Port:${number}, TargetPort:intstr.IntOrString{Type:0, IntVal:0, StrVal:""}, NodePort:0}`;
    const isDuplicate = seen.has(formatted);
    seen.add(formatted);
    return isDuplicate ? [duplicate(`spec.ports[${index}]`, formatted)] : [];
  });
}

const MAX_AFFINITY_SECONDS = 86_400;

function affinityProblems(spec: JsonObject): readonly Problem[] {
  const affinity = stringAt(spec, 'sessionAffinity');
  if (affinity !== 'ClientIP') return affinity === 'None' ? [] : [unsupportedAffinity(affinity)];
  const seconds = numberAt(spec, 'sessionAffinityConfig', 'clientIP', 'timeoutSeconds');
  if (seconds > 0 && seconds <= MAX_AFFINITY_SECONDS) return [];
  const detail = `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`;
  return [invalid('spec.sessionAffinityConfig.clientIP.timeoutSeconds', String(seconds), detail)];
}

function unsupportedAffinity(affinity: string): Problem {
  return unsupportedText('spec.sessionAffinity', affinity, ['ClientIP', 'None']);
}

function externalAddressProblems(spec: JsonObject): readonly Problem[] {
  return stringsAt(spec, 'externalIPs').flatMap((address, index) => {
    const path = `spec.externalIPs[${index}]`;
    const forms = addressProblems(path, address);
    return forms.length > 0 ? forms : addressRangeProblems(path, address);
  });
}

const NOT_A_NETWORK = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
const FOR_BALANCERS = "may only be used when `type` is 'LoadBalancer'";

function typeProblems(spec: JsonObject): readonly Problem[] {
  const type = stringAt(spec, 'type');
  const ranges = stringsAt(spec, 'loadBalancerSourceRanges');
  const problems: Problem[] = TYPES.includes(type) ? [] : [unsupportedText('spec.type', type, TYPES)];
  if (ranges.length > 0 && !isLoadBalancer(spec)) {
    problems.push(forbidden('spec.LoadBalancerSourceRanges', FOR_BALANCERS));
  }
  ranges.forEach((range, index) => {
    if (parseNetwork(range.trim()) !== undefined) return;
    problems.push(invalidText(`spec.LoadBalancerSourceRanges[${index}]`, range, NOT_A_NETWORK));
  });
  return [...problems, ...loadBalancerProblems(spec)];
}

function loadBalancerProblems(spec: JsonObject): readonly Problem[] {
  const loadBalancer = optionalStringAt(spec, 'loadBalancerClass');
  const named =
    loadBalancer === undefined ? [] : qualifiedNameProblems('spec.loadBalancerClass', loadBalancer);
  if (isLoadBalancer(spec)) return named;
  return ['allocateLoadBalancerNodePorts', 'loadBalancerClass']
    .filter((field) => valueAt(spec, field) !== undefined)
    .map((field) => forbidden(`spec.${field}`, FOR_BALANCERS));
}

function nodePortProblems(spec: JsonObject): readonly Problem[] {
  if (stringAt(spec, 'type') !== 'ClusterIP') return [];
  return objectsAt(spec, 'ports').flatMap((port, index) =>
    numberAt(port, 'nodePort') === 0
      ? []
      : [forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'")],
  );
}

const TRAFFIC = ['Cluster', 'Local'];

function trafficProblems(spec: JsonObject): readonly Problem[] {
  const outer = stringAt(spec, 'externalTrafficPolicy');
  const inner = optionalStringAt(spec, 'internalTrafficPolicy');
  const nearness = optionalStringAt(spec, 'trafficDistribution');
  const problems: Problem[] = [];
  if (!isExternallyAccessible(spec)) {
    const detail = 'may only be set for externally-accessible services';
    if (outer !== '') problems.push(invalidText('spec.externalTrafficPolicy', outer, detail));
  } else if (!TRAFFIC.includes(outer)) {
    problems.push(unsupportedText('spec.externalTrafficPolicy', outer, TRAFFIC));
  }
  problems.push(...healthPortProblems(spec));
  if (inner !== undefined && !TRAFFIC.includes(inner)) {
    problems.push(unsupportedText('spec.internalTrafficPolicy', inner, TRAFFIC));
  }
  if (nearness !== undefined && nearness !== 'PreferClose') {
    problems.push(unsupportedText('spec.trafficDistribution', nearness, ['PreferClose']));
  }
  return problems;
}

function healthPortProblems(spec: JsonObject): readonly Problem[] {
  const port = numberAt(spec, 'healthCheckNodePort');
  if (port === 0 || needsHealthPort(spec)) return [];
  const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return [invalid('spec.healthCheckNodePort', String(port), detail)];
}
