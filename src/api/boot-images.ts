/**
 * Boot images: which machine resources get new ones as the cluster moves on, and how old a boot image may be.
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
  'One kind of resource that makes machines.',
  {
    resource: required(oneOf('Its plural name.', ['machinesets', 'controlplanemachinesets'])),
    apiGroup: required(oneOf('Its API group.', ['machine.openshift.io'])),
    selection: required(
      object(
        'Which of its objects.',
        {
          mode: required(
            oneOf('All of them, none, or the ones that a selector picks (Partial).', [
              'All',
              'Partial',
              'None',
            ]),
          ),
          partial: object('Which ones, with the mode Partial.', {
            machineResourceSelector: required(labelSelector('The objects to pick, by their labels.')),
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
    machineManagers: list('The resources to keep up to date, each kind once.', machineManager, {
      maxItems: 5,
      list: { map: ['resource', 'apiGroup'] },
    }),
  });

const ocpVersion: Schema<string> = string('The release that shipped the boot image, as x.y.z.', {
  minLength: 5,
  maxLength: 10,
  rules: [
    matching('^[0-9]+\\.[0-9]+\\.[0-9]+$', 'ocpVersion must match the OCP semver compatible format of x.y.z'),
  ],
});

const rhcosVersion: Schema<string> = string(
  'The version of the boot image itself, as major.minor.date-build.',
  {
    minLength: 14,
    maxLength: 21,
    rules: [
      matching(
        '^[0-9]+\\.[0-9]+\\.([0-9]{8}|[0-9]{12})-[0-9]+$',
        'rhcosVersion must match format [major].[minor].[datestamp(YYYYMMDD)]-[buildnumber] or must match legacy format [major].[minor].[timestamp(YYYYMMDDHHmm)]-[buildnumber]',
      ),
    ],
  },
);

const manual = object(
  'The oldest boot image in use, as an administrator states it, with the mode Manual.',
  {
    mode: required(
      oneOf('Which version is stated; the field of that name holds it.', ['OCPVersion', 'RHCOSVersion']),
    ),
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
  'The boot image that was last given to the machine resources, with the mode Automatic.',
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
  'How it is made sure that boot images do not grow too old for the cluster.',
  {
    mode: required(
      oneOf('Whether an administrator keeps them up to date and says so (Manual), or nobody looks (None).', [
        'Manual',
        'None',
      ]),
    ),
    manual,
  },
  { rules: [manualWhenManual] },
);

export const bootImageSkewEnforcementStatus = object(
  'How it is made sure now that boot images do not grow too old.',
  {
    mode: required(
      oneOf('Who keeps them up to date: the cluster (Automatic), an administrator (Manual) or nobody.', [
        'Automatic',
        'Manual',
        'None',
      ]),
    ),
    automatic,
    manual,
  },
  { rules: [unionMember({ field: 'automatic', by: 'mode', value: 'Automatic' }), manualWhenManual] },
);

const SPEC_MANAGERS = 'spec.managedBootImages.machineManagers';
const STATUS_MANAGERS = 'status.managedBootImagesStatus.machineManagers';

/** Rules over a whole MachineConfiguration: the cluster can only keep up to date what it manages. */
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
 * The list is then read by its plain path, not as the optional's value: only so does an API server know its
 * maxItems and find the cost of the rule bounded.
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
