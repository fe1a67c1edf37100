/**
 * Rules about resources of a KubeletConfiguration: evictions, reservations and cgroups; and about fields that need others.
 */
import { quoted } from '../../base/text/index.ts';
import type { Fields } from './defaults.ts';
import { needsGate } from './number-rules.ts';
import {
  certain,
  doubtful,
  durationAt,
  gate,
  isTrue,
  listAt,
  mapAt,
  type Rule,
  textAt,
  type ValueProblem,
} from './rules.ts';
import {
  gracePeriodProblems,
  missingGracePeriods,
  qosProblems,
  reclaimProblems,
  reservationProblems,
  signOf,
  thresholdProblems,
} from './thresholds.ts';

type Amounts = (amounts: Fields) => readonly { readonly key: string; readonly message: string }[];

const AMOUNTS: readonly (readonly [name: string, problems: Amounts])[] = [
  ['evictionHard', thresholdProblems],
  ['evictionSoft', thresholdProblems],
  ['evictionSoftGracePeriod', gracePeriodProblems],
  ['evictionMinimumReclaim', reclaimProblems],
  ['systemReserved', reservationProblems],
  ['kubeReserved', reservationProblems],
  ['qosReserved', qosProblems],
];

/** Each with what its cgroup is called. */
const ENFORCEMENTS: ReadonlyMap<string, string> = new Map([
  ['system-reserved', 'systemReservedCgroup'],
  ['system-reserved-compressible', 'systemReservedCgroup'],
  ['kube-reserved', 'kubeReservedCgroup'],
  ['kube-reserved-compressible', 'kubeReservedCgroup'],
]);
const ENFORCE = 'enforceNodeAllocatable';

export const RESOURCE_RULES: readonly Rule[] = [
  ...AMOUNTS.map(
    ([name, problems]): Rule => ({
      fields: [name],
      problems: (config) =>
        problems(mapAt(config, name)).map(({ key, message }) => certain(`${name}[${key}]`, message)),
    }),
  ),
  {
    fields: ['evictionSoft', 'evictionSoftGracePeriod'],
    problems: (config) =>
      missingGracePeriods(mapAt(config, 'evictionSoft'), mapAt(config, 'evictionSoftGracePeriod')).map(
        ({ key, message }) => certain(`evictionSoft[${key}]`, message),
      ),
  },
  { fields: [ENFORCE], problems: enforcementProblems },
  ...['systemReservedCgroup', 'kubeReservedCgroup'].map(
    (name): Rule => ({
      fields: [ENFORCE, name],
      problems(config) {
        const enforced = listAt(config, ENFORCE).find((one) => ENFORCEMENTS.get(String(one)) === name);
        if (enforced === undefined || (textAt(config, name) ?? '') !== '') return [];
        return [certain(ENFORCE, `has ${enforced}, which needs ${name}`)];
      },
    }),
  ),
  {
    fields: [ENFORCE, 'cgroupsPerQOS'],
    problems(config) {
      const isNone = listAt(config, ENFORCE).every((one) => one === 'none');
      if (isTrue(config, 'cgroupsPerQOS') || isNone) return [];
      return [certain('cgroupsPerQOS', `must be true unless ${ENFORCE} is empty or none`)];
    },
  },
  {
    fields: ['systemCgroups', 'cgroupRoot'],
    problems: (config) =>
      (textAt(config, 'systemCgroups') ?? '') !== '' && (textAt(config, 'cgroupRoot') ?? '') === ''
        ? [certain('systemCgroups', 'needs cgroupRoot')]
        : [],
  },
  ...['systemReservedCgroup', 'kubeReservedCgroup'].map(
    (name): Rule => ({
      fields: ['reservedSystemCPUs', name],
      problems: (config) =>
        (textAt(config, 'reservedSystemCPUs') ?? '') !== '' && (textAt(config, name) ?? '') !== ''
          ? [certain('reservedSystemCPUs', `cannot be used together with ${name}`)]
          : [],
    }),
  ),
  {
    fields: ['cpuManagerPolicy', 'systemReserved', 'kubeReserved', 'reservedSystemCPUs'],
    problems: staticPolicyProblems,
  },
  ...gatedRules(),
];

function enforcementProblems(config: Fields): readonly ValueProblem[] {
  const values = listAt(config, ENFORCE).map(String);
  const known = ['pods', 'none', ...ENFORCEMENTS.keys()];
  const stranger = values.find((value) => !known.includes(value));
  const repeated = values.find((value, index) => values.indexOf(value) !== index);
  const both = ['system-reserved', 'kube-reserved'].find(
    (one) => values.includes(one) && values.includes(`${one}-compressible`),
  );
  return [
    ...(stranger === undefined
      ? []
      : [certain(ENFORCE, `has ${quoted(stranger)}, which is none of ${known.join(', ')}`)]),
    ...(repeated === undefined ? [] : [certain(ENFORCE, `has ${repeated} twice`)]),
    ...(both === undefined ? [] : [certain(ENFORCE, `cannot have both ${both} and ${both}-compressible`)]),
    ...(values.includes('none') && values.length > 1
      ? [certain(ENFORCE, 'cannot have others beside none')]
      : []),
  ];
}

/** A service of the node may add a drop-in with reservations, so this is not certain. */
function staticPolicyProblems(config: Fields): readonly ValueProblem[] {
  const cpus = ['systemReserved', 'kubeReserved'].map((name) => textAt(mapAt(config, name), 'cpu') ?? '0');
  const isReserved =
    (textAt(config, 'reservedSystemCPUs') ?? '') !== '' || cpus.some((one) => signOf(one) === 1);
  if (textAt(config, 'cpuManagerPolicy') !== 'static' || isReserved) return [];
  const message =
    'is static, which needs CPUs that are reserved: systemReserved, kubeReserved or reservedSystemCPUs';
  return [doubtful('cpuManagerPolicy', message)];
}

/** Fields that a kubelet refuses while a gate is disabled that is enabled by default, and relations of others. */
function gatedRules(): readonly Rule[] {
  const isSet = (config: Fields, name: string) => (durationAt(config, name) ?? 0n) > 0n;
  const whileDisabled: readonly (readonly [string, string, (config: Fields) => boolean])[] = [
    ['imageMaximumGCAge', 'ImageMaximumGCAge', (config) => isSet(config, 'imageMaximumGCAge')],
    [
      'serverTLSBootstrap',
      'RotateKubeletServerCertificate',
      (config) => isTrue(config, 'serverTLSBootstrap'),
    ],
    ['shutdownGracePeriod', 'GracefulNodeShutdown', (config) => isSet(config, 'shutdownGracePeriod')],
    ['shutdownGracePeriodByPodPriority', 'GracefulNodeShutdownBasedOnPodPriority', hasPriorities],
  ];
  return [
    ...whileDisabled.map(
      ([name, gateName, isUsed]): Rule => ({
        fields: [name, 'featureGates'],
        problems: (config) =>
          gate(config, gateName) === false && isUsed(config) ? needsGate(false, [name, gateName]) : [],
      }),
    ),
    {
      fields: ['shutdownGracePeriodByPodPriority', 'shutdownGracePeriod'],
      problems: (config) =>
        hasPriorities(config) && isSet(config, 'shutdownGracePeriod')
          ? [certain('shutdownGracePeriodByPodPriority', 'cannot be used together with shutdownGracePeriod')]
          : [],
    },
    {
      fields: ['enableSystemLogQuery'],
      problems: (config) =>
        isTrue(config, 'enableSystemLogQuery')
          ? needsGate(gate(config, 'NodeLogQuery'), ['enableSystemLogQuery', 'NodeLogQuery'])
          : [],
    },
    {
      fields: ['enableSystemLogQuery', 'enableSystemLogHandler'],
      problems: (config) =>
        isTrue(config, 'enableSystemLogQuery') && !isTrue(config, 'enableSystemLogHandler')
          ? [certain('enableSystemLogQuery', 'needs enableSystemLogHandler')]
          : [],
    },
  ];
}

function hasPriorities(config: Fields): boolean {
  return listAt(config, 'shutdownGracePeriodByPodPriority').length > 0;
}
