/**
 * What the API takes and refuses in MachineConfiguration, and the policies that hold by default.
 */
import { describe, expect, test } from 'vitest';
import { checkFields, type FieldRow, sampleOf } from '../../test/support/field-rows.ts';
import { long, many } from '../../test/support/shared-rows.ts';
import { validate } from '../kubernetes/validation/index.ts';
import { defaultDisruptionPolicies } from './default-disruption-policies.ts';
import { machineConfiguration } from './machine-configuration.ts';

const empty = sampleOf(machineConfiguration, { name: 'cluster', spec: {} });

checkFields(machineConfiguration, empty, [
  { at: 'spec', good: [{}], bad: [undefined], message: 'Required value' },
  {
    at: 'spec.managementState',
    good: ['Managed', 'Unmanaged', 'Force', 'Removed'],
    bad: ['', 'managed', 'Managed '],
    message: 'should match',
  },
  {
    at: 'spec.logLevel',
    good: ['', 'Normal', 'Debug', 'Trace', 'TraceAll'],
    bad: ['Info'],
    message: 'Unsupported value: "Info": supported values: "", "Normal", "Debug", "Trace", "TraceAll"',
  },
  {
    at: 'spec.operatorLogLevel',
    good: ['TraceAll'],
    bad: ['Info'],
    message: 'Unsupported value: "Info": supported values: "", "Normal", "Debug", "Trace", "TraceAll"',
  },
  { at: 'spec.observedConfig', good: [null, { any: [1] }], bad: ['x'], message: 'must be of type object' },
  { at: 'spec.unsupportedConfigOverrides', good: [null, {}], bad: [[]], message: 'must be of type object' },
  {
    at: 'spec.failedRevisionLimit',
    good: [-1, 5],
    bad: ['5'],
    message: 'must be of type integer',
  },
  {
    at: 'spec.irreconcilableValidationOverrides',
    good: [{ storage: ['Disks'] }, undefined],
    bad: [{}],
    message: 'should have at least 1 properties',
  },
  {
    at: 'spec.irreconcilableValidationOverrides.storage',
    good: [['Disks', 'FileSystems', 'Raid']],
    bad: [[]],
    message: 'should have at least 1 items',
  },
  {
    at: 'spec.irreconcilableValidationOverrides.storage',
    good: [['Raid']],
    bad: [['Disks', 'FileSystems', 'Raid', 'Disks']],
    message: 'Too many: 4: must have at most 3 items',
  },
  {
    at: 'spec.irreconcilableValidationOverrides.storage',
    good: [['Raid']],
    bad: [['Raid', 'Raid']],
    path: 'spec.irreconcilableValidationOverrides.storage[1]',
    message: 'Duplicate value: "Raid"',
  },
  {
    at: 'spec.irreconcilableValidationOverrides.storage',
    good: [['FileSystems']],
    bad: [['Filesystems']],
    path: 'spec.irreconcilableValidationOverrides.storage[0]',
    message: 'Unsupported value: "Filesystems": supported values: "Disks", "FileSystems", "Raid"',
  },
]);

const UNIT_TYPE =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: users see the text in this form.
  'Invalid ${SERVICETYPE} in service name. Expected format is ${NAME}${SERVICETYPE}, where ${SERVICETYPE} must be one of ".service", ".socket", ".device", ".mount", ".automount", ".swap", ".target", ".path", ".timer",".snapshot", ".slice" or ".scope".';
const UNIT_NAME =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: users see the text in this form.
  'Invalid ${NAME} in service name. Expected format is ${NAME}${SERVICETYPE}, where {NAME} must be atleast 1 character long and can only consist of alphabets, digits, ":", "-", "_", ".", and "\\"';

/** A unit's name somewhere in a list that is set whole. */
const unitRows = (at: string, path: string, listOf: (name: string) => unknown): readonly FieldRow[] => [
  {
    at,
    path,
    good: ['crio.service', 'a.b.mount', 'x@y.timer'.replace('@', ':'), 'dev-disk\\x2d1.swap', '-.slice'].map(
      listOf,
    ),
    bad: ['crio', 'crio.services', 'crio.service ', 'crio.Service', ''].map(listOf),
    message: UNIT_TYPE,
  },
  {
    at,
    path,
    good: ['_.scope', 'a.b.c.service'].map(listOf),
    bad: ['.service', 'my service.service', 'a@b.service', 'a/b.service', 'crio', ''].map(listOf),
    message: UNIT_NAME,
  },
  {
    at,
    path,
    good: [listOf(`${long(247)}.service`)],
    bad: [listOf(`${long(248)}.service`)],
    message: 'Too long: may not be more than 255 bytes',
  },
];

const none = { type: 'None' };
const reload = { type: 'Reload', reload: { serviceName: 'crio.service' } };
const restart = { type: 'Restart', restart: { serviceName: 'crio.service' } };

/** What holds for every list of actions. */
const actionRows = (at: string): readonly FieldRow[] => [
  {
    at,
    good: [[{ type: 'Reboot' }], [{ type: 'Drain' }, reload, restart, { type: 'DaemonReload' }], []],
    bad: [
      [{ type: 'Reboot' }, { type: 'Drain' }],
      [{ type: 'Reboot' }, { type: 'Reboot' }],
    ],
    message: 'Reboot action can only be specified standalone, as it will override any other actions',
  },
  {
    at,
    good: [[none]],
    bad: [
      [none, reload],
      [none, none],
    ],
    message: 'None action can only be specified standalone, as it will override any other actions',
  },
  {
    at,
    good: [[reload]],
    bad: [
      [{ type: 'Reload' }],
      [{ type: 'Drain', reload: reload.reload }],
      [{ ...restart, ...reload, type: 'Restart' }],
    ],
    path: `${at}[0]`,
    message: 'reload is required when type is Reload, and forbidden otherwise',
  },
  {
    at,
    good: [[restart]],
    bad: [[{ type: 'Restart' }], [{ type: 'Drain', restart: restart.restart }]],
    path: `${at}[0]`,
    message: 'restart is required when type is Restart, and forbidden otherwise',
  },
  { at, good: [[]], bad: [[{ reload: reload.reload }]], path: `${at}[0].type`, message: 'Required value' },
  {
    at,
    good: [many(10, () => reload)],
    bad: [many(11, () => reload)],
    message: 'Too many: 11: must have at most 10 items',
  },
  ...unitRows(at, `${at}[0].reload.serviceName`, (serviceName) => [
    { type: 'Reload', reload: { serviceName } },
  ]),
  ...unitRows(at, `${at}[0].restart.serviceName`, (serviceName) => [
    { type: 'Restart', restart: { serviceName } },
  ]),
];

/** The same for actions below an item of a list, which is set whole. */
const nested = (rows: readonly FieldRow[], at: string, listOf: (actions: unknown) => unknown) =>
  rows.map((row) => ({
    ...row,
    at,
    path: `${at}[0].${row.path ?? row.at}`,
    good: row.good.map(listOf),
    bad: row.bad.map(listOf),
  }));

describe.each([
  ['spec.nodeDisruptionPolicy', 50, '"Reboot", "Drain", "Reload", "Restart", "DaemonReload", "None"'],
  [
    'status.nodeDisruptionPolicyStatus.clusterPolicies',
    100,
    '"Reboot", "Drain", "Reload", "Restart", "DaemonReload", "None", "Special"',
  ],
])('%s', (root, maxItems, types) => {
  const file = (path: string) => ({ path, actions: [none] });
  const unit = (name: string) => ({ name, actions: [none] });
  checkFields(machineConfiguration, empty, [
    {
      at: `${root}.sshkey.actions`,
      good: [[none]],
      bad: [[{ type: 'Nothing' }]],
      path: `${root}.sshkey.actions[0].type`,
      message: `Unsupported value: "Nothing": supported values: ${types}`,
    },
    ...actionRows(`${root}.sshkey.actions`),
    ...nested(actionRows('actions'), `${root}.files`, (actions) => [{ path: '/etc/a', actions }]),
    ...nested(actionRows('actions'), `${root}.units`, (actions) => [{ name: 'a.service', actions }]),
    ...unitRows(`${root}.units`, `${root}.units[0].name`, (name) => [unit(name)]),
    {
      at: `${root}.files`,
      good: [many(maxItems, (index) => file(`/etc/${index}`))],
      bad: [many(maxItems + 1, (index) => file(`/etc/${index}`))],
      message: `Too many: ${maxItems + 1}: must have at most ${maxItems} items`,
    },
    {
      at: `${root}.units`,
      good: [many(maxItems, (index) => unit(`u${index}.service`))],
      bad: [many(maxItems + 1, (index) => unit(`u${index}.service`))],
      message: `Too many: ${maxItems + 1}: must have at most ${maxItems} items`,
    },
    {
      at: `${root}.files`,
      good: [[file('/a'), file('/b')]],
      bad: [[file('/a'), file('/a')]],
      path: `${root}.files[1]`,
      message: 'Duplicate value',
    },
    {
      at: `${root}.units`,
      good: [[unit('a.path'), unit('b.path')]],
      bad: [[unit('a.path'), unit('a.path')]],
      path: `${root}.units[1]`,
      message: 'Duplicate value',
    },
    {
      at: `${root}.files`,
      good: [[]],
      bad: [[{ actions: [] }]],
      path: `${root}.files[0].path`,
      message: 'Required',
    },
    {
      at: `${root}.units`,
      good: [[]],
      bad: [[{ name: 'a.path' }]],
      path: `${root}.units[0].actions`,
      message: 'Required value',
    },
    {
      at: `${root}.sshkey`,
      good: [{ actions: [] }],
      bad: [{}],
      path: `${root}.sshkey.actions`,
      message: 'Required',
    },
  ]);
});

test('Special is only valid in the status', () => {
  const special = { sshkey: { actions: [{ type: 'Special' }] } };
  const inSpec = { ...empty, spec: { nodeDisruptionPolicy: special } };
  const inStatus = { ...empty, status: { nodeDisruptionPolicyStatus: { clusterPolicies: special } } };
  expect(validate(machineConfiguration.schema, inSpec).map((problem) => problem.path)).toContain(
    'spec.nodeDisruptionPolicy.sshkey.actions[0].type',
  );
  expect(validate(machineConfiguration.schema, inStatus)).toEqual([]);
});

describe('the default policies', () => {
  test('are valid in the status', () => {
    const status = { nodeDisruptionPolicyStatus: { clusterPolicies: defaultDisruptionPolicies } };
    expect(validate(machineConfiguration.schema, { ...empty, status })).toEqual([]);
  });

  test('have the order of the status', () => {
    const actionTexts = (actions: readonly { readonly type: string; readonly [field: string]: unknown }[]) =>
      actions.map((action) =>
        [action.type, action.reload, action.restart]
          .filter((part) => part !== undefined)
          .map(nameOf)
          .join(' '),
      );
    const nameOf = (part: unknown) =>
      typeof part === 'object' && part !== null && 'serviceName' in part ? part.serviceName : part;

    expect(
      defaultDisruptionPolicies.files.map(({ path, actions }) => [path, ...actionTexts(actions)]),
    ).toEqual([
      ['/var/lib/kubelet/config.json', 'None'],
      ['/etc/machine-config-daemon/no-reboot/containers-gpg.pub', 'Reload crio.service'],
      ['/etc/containers/policy.json', 'Reload crio.service'],
      ['/etc/containers/registries.conf', 'Special'],
      ['/etc/containers/registries.d', 'Reload crio.service'],
      ['/etc/crio/policies', 'Reload crio.service'],
      ['/etc/nmstate/openshift', 'None'],
      [
        '/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt',
        'Restart coreos-update-ca-trust.service',
        'Restart crio.service',
      ],
      ['/etc/kubernetes/credential-providers', 'Restart kubelet.service'],
      [
        '/etc/systemd/system/kubelet.service.d/40-kubelet-crio-image-credential-provider.conf',
        'DaemonReload',
        'Restart kubelet.service',
      ],
      ['/etc/iri-registry', 'Restart iri-registry.service'],
      ['/usr/local/bin/load-registry-image.sh', 'Restart iri-registry.service'],
      ['/etc/pki/ca-trust/source/anchors/iri-root-ca.crt', 'Restart coreos-update-ca-trust.service'],
    ]);
    expect(
      defaultDisruptionPolicies.units.map(({ name, actions }) => [name, ...actionTexts(actions)]),
    ).toEqual([['iri-registry.service', 'DaemonReload', 'Restart iri-registry.service']]);
    expect(actionTexts(defaultDisruptionPolicies.sshkey.actions)).toEqual(['None']);
  });
});
