/**
 * What the API takes and refuses in the boot image parts of MachineConfiguration.
 */
import { describe } from 'vitest';
import { checkFields, sampleOf } from '../../test/support/field-rows.ts';
import { machineConfiguration } from './machine-configuration.ts';

const sample = (fields: { readonly spec?: unknown; readonly status?: unknown } = {}) =>
  sampleOf(machineConfiguration, { name: 'cluster', spec: {}, ...fields });

type Selection = { readonly mode?: string; readonly partial?: unknown };
const manager = (resource: string, selection: Selection) => ({
  resource,
  apiGroup: 'machine.openshift.io',
  selection,
});
const all = manager('machinesets', { mode: 'All' });
const none = manager('machinesets', { mode: 'None' });
const partial = { machineResourceSelector: { matchLabels: { 'update-boot-image': 'true' } } };

describe.each(['spec.managedBootImages', 'status.managedBootImagesStatus'])('%s', (root) => {
  const at = `${root}.machineManagers`;
  checkFields(machineConfiguration, sample(), [
    {
      at,
      good: [
        [manager('controlplanemachinesets', { mode: 'All' })],
        [manager('controlplanemachinesets', { mode: 'None' })],
        [manager('machinesets', { mode: 'Partial', partial })],
      ],
      bad: [[manager('controlplanemachinesets', { mode: 'Partial', partial })]],
      path: `${at}[0]`,
      message: 'Only All or None selection mode is permitted for ControlPlaneMachineSets',
    },
    {
      at,
      good: [[all], [none], [manager('machinesets', { mode: 'Partial', partial })]],
      bad: [
        [manager('machinesets', { mode: 'Partial' })],
        [manager('machinesets', { mode: 'All', partial })],
      ],
      path: `${at}[0].selection`,
      message: 'Partial is required when type is partial, and forbidden otherwise',
    },
    {
      at,
      good: [[all, manager('controlplanemachinesets', { mode: 'None' })], []],
      bad: [[all, none]],
      path: `${at}[1]`,
      message: 'Duplicate value',
    },
    {
      at,
      good: [[all]],
      bad: [[manager('machines', { mode: 'All' })]],
      path: `${at}[0].resource`,
      message: 'Unsupported value: "machines": supported values: "machinesets", "controlplanemachinesets"',
    },
    {
      at,
      good: [[all]],
      bad: [[{ ...all, apiGroup: 'cluster.x-k8s.io' }]],
      path: `${at}[0].apiGroup`,
      message: 'Unsupported value: "cluster.x-k8s.io": supported values: "machine.openshift.io"',
    },
    {
      at,
      good: [[none]],
      bad: [[manager('machinesets', { mode: 'Some' })]],
      path: `${at}[0].selection.mode`,
      message: 'Unsupported value: "Some": supported values: "All", "Partial", "None"',
    },
    {
      at,
      good: [[all]],
      bad: [[all, all, all, all, all, all]],
      message: 'Too many: 6: must have at most 5 items',
    },
    {
      at,
      good: [[manager('machinesets', { mode: 'Partial', partial: { machineResourceSelector: {} } })]],
      bad: [[manager('machinesets', { mode: 'Partial', partial: {} })]],
      path: `${at}[0].selection.partial.machineResourceSelector`,
      message: 'Required value',
    },
  ]);
});

const OCP_VERSION = 'ocpVersion must match the OCP semver compatible format of x.y.z';
const RHCOS_VERSION =
  'rhcosVersion must match format [major].[minor].[datestamp(YYYYMMDD)]-[buildnumber] or must match legacy format [major].[minor].[timestamp(YYYYMMDDHHmm)]-[buildnumber]';

const versionRows = (at: string, objectOf: (version: { [field: string]: string }) => unknown) => [
  {
    at,
    path: `${at}.ocpVersion`,
    good: ['4.1.0', '4.10.123'].map((ocpVersion) => objectOf({ ocpVersion })),
    bad: ['4.1.0-a', 'v4.10.1', '4.10..1', '4.1.0.0'].map((ocpVersion) => objectOf({ ocpVersion })),
    message: OCP_VERSION,
  },
  {
    at,
    path: `${at}.ocpVersion`,
    good: [objectOf({ ocpVersion: '10.10.1000' })],
    bad: [objectOf({ ocpVersion: '10.100.1000' })],
    message: 'Too long: may not be more than 10 bytes',
  },
  {
    at,
    path: `${at}.ocpVersion`,
    good: [objectOf({ ocpVersion: '4.0.0' })],
    bad: [objectOf({ ocpVersion: '4.10' })],
    message: 'should be at least 5 chars long',
  },
  {
    at,
    path: `${at}.rhcosVersion`,
    good: ['9.6.20250101-0', '418.94.202501011200-0'].map((rhcosVersion) => objectOf({ rhcosVersion })),
    bad: ['9.6.202501010-0', '9.6.20250101.0', 'a.6.20250101-0', '9.6.20250101-0a'].map((rhcosVersion) =>
      objectOf({ rhcosVersion }),
    ),
    message: RHCOS_VERSION,
  },
  {
    at,
    path: `${at}.rhcosVersion`,
    good: [objectOf({ rhcosVersion: '418.94.202501011200-0' })],
    bad: [objectOf({ rhcosVersion: '418.94.202501011200-01' })],
    message: 'Too long: may not be more than 21 bytes',
  },
  {
    at,
    path: `${at}.rhcosVersion`,
    good: [objectOf({ rhcosVersion: '9.6.20250101-0' })],
    bad: [objectOf({ rhcosVersion: '9.6.2025010-0' })],
    message: 'should be at least 14 chars long',
  },
];

const manual = { mode: 'OCPVersion', ocpVersion: '4.18.0' };
const manualOf = (version: { [field: string]: string }) => ({
  mode: 'ocpVersion' in version ? 'OCPVersion' : 'RHCOSVersion',
  ...version,
});

describe.each(['spec.bootImageSkewEnforcement', 'status.bootImageSkewEnforcementStatus'])('%s', (root) => {
  const [top = '', field = ''] = root.split('.');
  checkFields(machineConfiguration, sample({ [top]: { [field]: { mode: 'Manual', manual } } }), [
    {
      at: root,
      good: [{ mode: 'Manual', manual }, { mode: 'None' }],
      bad: [{ mode: 'Manual' }, { mode: 'None', manual }],
      message: 'manual is required when mode is Manual, and forbidden otherwise',
    },
    {
      at: `${root}.manual`,
      good: [manual],
      bad: [
        { mode: 'OCPVersion' },
        { mode: 'RHCOSVersion', ocpVersion: '4.18.0', rhcosVersion: '9.6.20250101-0' },
      ],
      message: 'ocpVersion is required when mode is OCPVersion, and forbidden otherwise',
    },
    {
      at: `${root}.manual`,
      good: [{ mode: 'RHCOSVersion', rhcosVersion: '9.6.20250101-0' }],
      bad: [{ mode: 'RHCOSVersion' }, { ...manual, rhcosVersion: '9.6.20250101-0' }],
      message: 'rhcosVersion is required when mode is RHCOSVersion, and forbidden otherwise',
    },
    {
      at: `${root}.manual.mode`,
      good: ['OCPVersion'],
      bad: ['Version'],
      message: 'Unsupported value: "Version": supported values: "OCPVersion", "RHCOSVersion"',
    },
    { at: `${root}.mode`, good: ['Manual'], bad: [undefined], message: 'Required value' },
    ...versionRows(`${root}.manual`, manualOf),
  ]);
});

checkFields(machineConfiguration, sample(), [
  {
    at: 'spec.bootImageSkewEnforcement',
    good: [{ mode: 'None' }],
    bad: [{ mode: 'Automatic' }],
    path: 'spec.bootImageSkewEnforcement.mode',
    message: 'Unsupported value: "Automatic": supported values: "Manual", "None"',
  },
]);

const skew = 'status.bootImageSkewEnforcementStatus';
const automatic = { mode: 'Automatic', automatic: { ocpVersion: '4.18.0' } };

checkFields(machineConfiguration, sample({ spec: { managedBootImages: {} }, status: {} }), [
  {
    at: skew,
    good: [automatic, { mode: 'None' }],
    bad: [{ mode: 'Automatic' }, { ...automatic, mode: 'None' }],
    message: 'automatic is required when mode is Automatic, and forbidden otherwise',
  },
  {
    at: skew,
    good: [{ mode: 'Automatic', automatic: { ocpVersion: '4.18.0', rhcosVersion: '9.6.20250101-0' } }],
    bad: [{ mode: 'Automatic', automatic: {} }],
    path: `${skew}.automatic`,
    message: 'at least one of ocpVersion or rhcosVersion is required',
  },
  {
    at: skew,
    good: [automatic],
    bad: [{ mode: 'Automatic', automatic: {} }],
    path: `${skew}.automatic`,
    message: 'should have at least 1 properties',
  },
  {
    at: skew,
    good: [automatic],
    bad: [{ mode: 'Auto' }],
    path: `${skew}.mode`,
    message: 'Unsupported value: "Auto": supported values: "Automatic", "Manual", "None"',
  },
]);

const automatically = sample({
  spec: { managedBootImages: {} },
  status: { bootImageSkewEnforcementStatus: automatic },
});
checkFields(machineConfiguration, automatically, [
  ...versionRows(`${skew}.automatic`, (version) => version),
  {
    at: 'spec',
    good: [{ managedBootImages: {} }, { managedBootImages: { machineManagers: [all] } }],
    bad: [{}],
    path: '',
    message: 'when skew enforcement is in Automatic mode, a boot image configuration is required',
  },
  {
    at: 'spec.managedBootImages.machineManagers',
    good: [undefined, [all]],
    bad: [[]],
    path: '',
    message:
      'when skew enforcement is in Automatic mode, managedBootImages.machineManagers must not be an empty list',
  },
  {
    at: 'spec.managedBootImages.machineManagers',
    good: [[all], [manager('controlplanemachinesets', { mode: 'None' })]],
    bad: [[none], [manager('machinesets', { mode: 'Partial', partial })]],
    path: '',
    message:
      "when skew enforcement is in Automatic mode, any MachineAPI MachineSet MachineManager must use selection mode 'All'",
  },
  {
    at: 'status.managedBootImagesStatus',
    good: [undefined, {}, { machineManagers: [all] }],
    bad: [
      { machineManagers: [] },
      { machineManagers: [none] },
      { machineManagers: [manager('controlplanemachinesets', { mode: 'All' })] },
    ],
    path: '',
    message:
      'when skew enforcement is in Automatic mode, managedBootImagesStatus must contain a MachineManager opting in all MachineAPI MachineSets',
  },
]);

// None of it is asked where the cluster does not keep boot images up to date by itself.
checkFields(machineConfiguration, sample({ status: { bootImageSkewEnforcementStatus: { mode: 'None' } } }), [
  {
    at: 'spec',
    good: [
      {},
      { managedBootImages: { machineManagers: [] } },
      { managedBootImages: { machineManagers: [none] } },
    ],
    bad: [undefined],
    message: 'Required value',
  },
  {
    at: 'status.managedBootImagesStatus',
    good: [{ machineManagers: [] }, { machineManagers: [none] }],
    bad: ['all'],
    message: 'must be of type object',
  },
]);
