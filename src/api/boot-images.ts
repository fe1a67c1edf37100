/**
 * Boot images: which machine resources are updated with the cluster, and the maximum skew of a boot image.
 */

import { labelSelector } from '../kubernetes/meta/index.ts';
import {
  list,
  object,
  oneOf,
  required,
  type Schema,
  string,
  type ValidationRule,
} from '../kubernetes/schema/index.ts';
import { matching } from './rules.ts';
import { unionMember } from './union-rule.ts';

const machineManager = object(
  'One kind of machine resource.',
  {
    resource: required(oneOf('Plural name of the resource.', ['machinesets', 'controlplanemachinesets'])),
    apiGroup: required(oneOf('API group of the resource.', ['machine.openshift.io'])),
    selection: required(
      object(
        'Objects to update.',
        {
          mode: required(
            oneOf('Selection mode: All, None, or Partial for the objects that match a selector.', [
              'All',
              'Partial',
              'None',
            ]),
          ),
          partial: object('Selection for the mode Partial.', {
            machineResourceSelector: required(labelSelector('Label selector for the objects.')),
          }),
        },
        {
          rules: [
            unionMember({
              field: 'partial',
              by: 'mode',
              value: 'Partial',
              message: 'Partial is required when type is partial, and forbidden otherwise',
            }),
          ],
        },
      ),
    ),
  },
  {
    rules: [
      {
        rule: "self.resource != 'controlplanemachinesets' || self.selection.mode in ['All', 'None']",
        message: 'Only All or None selection mode is permitted for ControlPlaneMachineSets',
      },
    ],
  },
);

export const managedBootImages = (description: string) =>
  object(description, {
    machineManagers: list(
      'Machine resources whose boot images are updated, one entry per kind.',
      machineManager,
      {
        maxItems: 5,
        list: { map: ['resource', 'apiGroup'] },
      },
    ),
  });

const ocpVersion: Schema<string> = string('Release that shipped the boot image, as x.y.z.', {
  minLength: 5,
  maxLength: 10,
  rules: [
    matching('^[0-9]+\\.[0-9]+\\.[0-9]+$', 'ocpVersion must match the OCP semver compatible format of x.y.z'),
  ],
});

const rhcosVersion: Schema<string> = string('Version of the boot image, as major.minor.date-build.', {
  minLength: 14,
  maxLength: 21,
  rules: [
    matching(
      '^[0-9]+\\.[0-9]+\\.([0-9]{8}|[0-9]{12})-[0-9]+$',
      'rhcosVersion must match format [major].[minor].[datestamp(YYYYMMDD)]-[buildnumber] or must match legacy format [major].[minor].[timestamp(YYYYMMDDHHmm)]-[buildnumber]',
    ),
  ],
});

const manual = object(
  'Oldest boot image in use, as stated by an administrator in the mode Manual.',
  {
    mode: required(oneOf('Kind of version that is stated.', ['OCPVersion', 'RHCOSVersion'])),
    ocpVersion,
    rhcosVersion,
  },
  {
    rules: [
      unionMember({ field: 'ocpVersion', by: 'mode', value: 'OCPVersion' }),
      unionMember({ field: 'rhcosVersion', by: 'mode', value: 'RHCOSVersion' }),
    ],
  },
);

const automatic = object(
  'Boot image that the machine resources were last updated to in the mode Automatic.',
  { ocpVersion, rhcosVersion },
  {
    minProperties: 1,
    rules: [
      {
        rule: 'has(self.ocpVersion) || has(self.rhcosVersion)',
        message: 'at least one of ocpVersion or rhcosVersion is required',
      },
    ],
  },
);

const manualWhenManual = unionMember({ field: 'manual', by: 'mode', value: 'Manual' });

export const bootImageSkewEnforcement = object(
  'Enforcement of the maximum skew between boot images and the cluster.',
  {
    mode: required(
      oneOf(
        'Manual: an administrator updates boot images and states their version. None: the skew is not enforced.',
        ['Manual', 'None'],
      ),
    ),
    manual,
  },
  { rules: [manualWhenManual] },
);

export const bootImageSkewEnforcementStatus = object(
  'Current enforcement of the boot image skew.',
  {
    mode: required(
      oneOf(
        'Automatic: the cluster updates boot images. Manual: an administrator does. None: the skew is not enforced.',
        ['Automatic', 'Manual', 'None'],
      ),
    ),
    automatic,
    manual,
  },
  { rules: [unionMember({ field: 'automatic', by: 'mode', value: 'Automatic' }), manualWhenManual] },
);

const SPEC_MANAGERS = 'spec.managedBootImages.machineManagers';
const STATUS_MANAGERS = 'status.managedBootImagesStatus.machineManagers';

/** Rules across a MachineConfiguration: the cluster can only update the boot images that it manages. */
export const automaticSkewRules: readonly ValidationRule[] = [
  whenAutomatic(
    'has(self.spec.managedBootImages) || has(self.status.managedBootImagesStatus)',
    'a boot image configuration is required',
  ),
  whenAutomatic(
    `${isAbsent(SPEC_MANAGERS)} || self.${SPEC_MANAGERS}.size() > 0`,
    'managedBootImages.machineManagers must not be an empty list',
  ),
  whenAutomatic(
    `${isAbsent(SPEC_MANAGERS)} || self.${SPEC_MANAGERS}.all(manager, manager.resource != 'machinesets' || manager.selection.mode == 'All')`,
    "any MachineAPI MachineSet MachineManager must use selection mode 'All'",
  ),
  whenAutomatic(
    `${isAbsent(STATUS_MANAGERS)} || self.${STATUS_MANAGERS}.exists(manager, manager.resource == 'machinesets' && manager.selection.mode == 'All')`,
    'managedBootImagesStatus must contain a MachineManager opting in all MachineAPI MachineSets',
  ),
];

/**
 * The list is accessed by its plain path, not through the optional: only then does an API server know its maxItems
 * and consider the cost of the rule bounded.
 */
function isAbsent(path: string): string {
  return `!self.?${path.replaceAll('.', '.?')}.hasValue()`;
}

function whenAutomatic(demand: string, message: string): ValidationRule {
  return {
    rule: `self.?status.?bootImageSkewEnforcementStatus.?mode.orValue('') != 'Automatic' || ${demand}`,
    message: `when skew enforcement is in Automatic mode, ${message}`,
  };
}
