/**
 * Validation of a pod spec, of a pod or a pod template.
 *
 * All problems are reported, in the order of kube-apiserver. Rarely used fields are not validated: nothing is rejected
 * here that kube-apiserver accepts.
 */

import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import {
  numberAt,
  objectAt,
  objectsAt,
  optionalNumberAt,
  stringAt,
  stringMapAt,
  stringsAt,
  valueAt,
} from '../../../base/json-fields.ts';
import { parseSloppyAddress, quoted } from '../../../base/text/index.ts';
import { checkDnsSubdomain } from '../../../kubernetes/meta/index.ts';
import { goStrings } from '../decoding/go-format.ts';
import { duplicate, invalid, invalidText, required, unsupportedText } from '../field-problems.ts';
import { dnsLabelProblems, dnsSubdomainProblems, qualifiedNameProblems } from '../name-problems.ts';
import { labelProblems } from '../object-meta.ts';
import { rangeText } from '../services/ports.ts';
import { containersProblems, initContainersProblems } from './container-problems.ts';
import { affinityProblems, spreadProblems, tolerationProblems } from './scheduling-problems.ts';
import { hostUsersProblems, podSecurityProblems } from './security-problems.ts';
import { readVolumes } from './volume-problems.ts';

type PodSpecOptions = {
  /** In a template a host port may be left to the defaults of the pod. */
  readonly isTemplate: boolean;
};

/** `path` is that of the spec: `spec`, or `spec.template.spec`. */
export function podSpecProblems(
  spec: JsonObject,
  path: string,
  { isTemplate }: PodSpecOptions,
): readonly Problem[] {
  const { volumes, problems } = readVolumes(spec, `${path}.volumes`);
  const parts = { spec, volumes };
  return [
    ...problems,
    ...containersProblems(parts, `${path}.containers`),
    ...initContainersProblems(parts, `${path}.initContainers`),
    ...hostNetworkProblems(spec, `${path}.containers`, isTemplate),
    ...policyProblems(spec, path),
    ...labelProblems(`${path}.nodeSelector`, stringMapAt(spec, 'nodeSelector')),
    ...podSecurityProblems(spec, path),
    ...affinityProblems(spec, `${path}.affinity`),
    ...dnsConfigProblems(spec, `${path}.dnsConfig`),
    ...gateProblems(spec, path),
    ...spreadProblems(spec, `${path}.topologySpreadConstraints`),
    ...hostUsersProblems(spec, path),
    ...namedThingsProblems(spec, path),
    ...tolerationProblems(spec, `${path}.tolerations`),
    ...hostAliasProblems(spec, `${path}.hostAliases`),
    ...otherNamesProblems(spec, path),
  ];
}

function hostNetworkProblems(spec: JsonObject, path: string, isTemplate: boolean): readonly Problem[] {
  if (spec.hostNetwork !== true) return [];
  return objectsAt(spec, 'containers').flatMap((container, index) =>
    objectsAt(container, 'ports').flatMap((port, portIndex) => {
      const hostPort = numberAt(port, 'hostPort');
      if (hostPort === numberAt(port, 'containerPort') || (isTemplate && hostPort === 0)) return [];
      const at = `${path}[${index}].ports[${portIndex}].hostPort`;
      return [invalid(at, String(hostPort), 'must match `containerPort` when `hostNetwork` is true')];
    }),
  );
}

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

function policyProblems(spec: JsonObject, path: string): readonly Problem[] {
  return [
    ...oneOfProblems(spec, path, 'restartPolicy', RESTART_POLICIES),
    ...oneOfProblems(spec, path, 'dnsPolicy', DNS_POLICIES),
  ];
}

function oneOfProblems(
  spec: JsonObject,
  path: string,
  field: string,
  supported: readonly string[],
): readonly Problem[] {
  const value = stringAt(spec, field);
  if (value === '') return [required(`${path}.${field}`)];
  return supported.includes(value) ? [] : [unsupportedText(`${path}.${field}`, value, supported)];
}

const MAX_NAMESERVERS = 3;
const NOT_AN_ADDRESS = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

function dnsConfigProblems(spec: JsonObject, path: string): readonly Problem[] {
  const config = objectAt(spec, 'dnsConfig');
  const nameservers = stringsAt(config, 'nameservers');
  const problems: Problem[] = [];
  if (stringAt(spec, 'dnsPolicy') === 'None') {
    if (config === undefined) {
      return [required(path, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    }
    if (nameservers.length === 0) {
      const detail = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
      return [required(`${path}.nameservers`, detail)];
    }
  }
  if (nameservers.length > MAX_NAMESERVERS) {
    const detail = `must not have more than ${MAX_NAMESERVERS} nameservers`;
    problems.push(invalid(`${path}.nameservers`, goStrings(nameservers), detail));
  }
  nameservers.forEach((address, index) => {
    problems.push(...addressProblems(`${path}.nameservers[${index}]`, address));
  });
  stringsAt(config, 'searches').forEach((search, index) => {
    // A trailing dot and underscores are allowed.
    const plain = search.replace(/\.$/, '').replaceAll('_', '');
    for (const text of search === '.' ? [] : checkDnsSubdomain(plain)) {
      problems.push(
        invalidText(`${path}.searches[${index}]`, search, text.replace("'-' or '.'", "'_', '-' or '.'")),
      );
    }
  });
  objectsAt(config, 'options').forEach((option, index) => {
    if (stringAt(option, 'name') === '') {
      problems.push(required(`${path}.options[${index}]`, 'must not be empty'));
    }
  });
  return problems;
}

/** Parses addresses leniently, as Go once did: leading zeros are allowed. */
export function addressProblems(path: string, address: string): readonly Problem[] {
  return parseSloppyAddress(address) === undefined ? [invalidText(path, address, NOT_AN_ADDRESS)] : [];
}

/** Readiness gates and scheduling gates. */
function gateProblems(spec: JsonObject, path: string): readonly Problem[] {
  const names = new Set<string>();
  return [
    ...objectsAt(spec, 'readinessGates').flatMap((gate, index) =>
      qualifiedNameProblems(
        `${path}.readinessGates[${index}].conditionType`,
        stringAt(gate, 'conditionType'),
      ),
    ),
    ...objectsAt(spec, 'schedulingGates').flatMap((gate, index) => {
      const at = `${path}.schedulingGates[${index}]`;
      const name = stringAt(gate, 'name');
      const duplicates = names.has(name) ? [duplicate(at, quoted(name))] : [];
      names.add(name);
      return [...qualifiedNameProblems(at, name), ...duplicates];
    }),
  ];
}

const MAX_SECONDS = 2 ** 31 - 1;

function namedThingsProblems(spec: JsonObject, path: string): readonly Problem[] {
  const deadline = optionalNumberAt(spec, 'activeDeadlineSeconds');
  const isOutside = deadline !== undefined && (deadline < 1 || deadline > MAX_SECONDS);
  return [
    ...['serviceAccountName', 'nodeName'].flatMap((field) => subdomainAt(spec, path, field)),
    ...(isOutside
      ? [invalid(`${path}.activeDeadlineSeconds`, String(deadline), rangeText(1, MAX_SECONDS))]
      : []),
    ...['hostname', 'subdomain'].flatMap((field) => {
      const name = stringAt(spec, field);
      return name === '' ? [] : dnsLabelProblems(`${path}.${field}`, name);
    }),
  ];
}

function hostAliasProblems(spec: JsonObject, path: string): readonly Problem[] {
  return objectsAt(spec, 'hostAliases').flatMap((alias, index) => [
    ...addressProblems(`${path}[${index}].ip`, stringAt(alias, 'ip')),
    ...stringsAt(alias, 'hostnames').flatMap((name, at) =>
      dnsSubdomainProblems(`${path}[${index}].hostnames[${at}]`, name),
    ),
  ]);
}

const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];
const SYSTEMS = ['linux', 'windows'];

function otherNamesProblems(spec: JsonObject, path: string): readonly Problem[] {
  const policy = valueAt(spec, 'preemptionPolicy');
  const system = objectAt(spec, 'os');
  const name = stringAt(system, 'name');
  return [
    ...['priorityClassName', 'runtimeClassName'].flatMap((field) => subdomainAt(spec, path, field)),
    ...(typeof policy === 'string' && !PREEMPTION_POLICIES.includes(policy)
      ? [unsupportedText(`${path}.preemptionPolicy`, policy, PREEMPTION_POLICIES)]
      : []),
    ...(system === undefined || SYSTEMS.includes(name) ? [] : [unsupportedText(`${path}.os`, name, SYSTEMS)]),
  ];
}

function subdomainAt(spec: JsonObject, path: string, field: string): readonly Problem[] {
  const name = stringAt(spec, field);
  return name === '' ? [] : dnsSubdomainProblems(`${path}.${field}`, name);
}
