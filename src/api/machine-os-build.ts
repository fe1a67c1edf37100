/**
 * MachineOSBuild: one build of an OS image, from one MachineOSConfig and one rendered MachineConfig.
 */

import {
  ageColumn,
  conditionColumn,
  conditions,
  defineKind,
  type ObjectOfKind,
} from '../kubernetes/meta/index.ts';
import {
  dateTime,
  list,
  object,
  required,
  string,
  type ValidationRule,
  withRules,
} from '../kubernetes/schema/index.ts';
import { MACHINE_CONFIGURATION_GROUP, operatorManagedLabels } from './groups.ts';
import { immutable } from './rules.ts';
import { digestPullSpec, nameReference, resourceReference, tagPushSpec } from './shapes.ts';

export const machineOSBuild = defineKind({
  group: MACHINE_CONFIGURATION_GROUP,
  version: 'v1',
  kind: 'MachineOSBuild',
  plural: 'machineosbuilds',
  description:
    'One build of an OS image. A changed MachineOSConfig or rendered MachineConfig makes a new one; an ended build never changes.',
  crdLabels: operatorManagedLabels,
  columns: [
    conditionColumn('Prepared'),
    conditionColumn('Building'),
    conditionColumn('Succeeded'),
    conditionColumn('Interrupted'),
    conditionColumn('Failed'),
    ageColumn,
  ],
  spec: object(
    'What is built. It cannot be changed.',
    {
      machineConfig: required(
        nameReference('The rendered MachineConfig that goes into the image.', { minLength: 10 }),
      ),
      machineOSConfig: required(
        nameReference('The MachineOSConfig for which the image is built.', { minLength: 1 }),
      ),
      renderedImagePushSpec: required(
        tagPushSpec('Where the image is pushed, as host[:port][/namespace]/name:tag.'),
      ),
    },
    { rules: [immutable('machineOSBuildSpec is immutable once set')] },
  ),
  status: object(
    'How the build goes. Written by the build controller.',
    {
      conditions: withRules(
        conditions('Which state the build is in: Prepared, Building, Succeeded, Interrupted or Failed.', {
          maxItems: 8,
        }),
        [
          frozenAfter('Failed', 'once a Failed condition is set, conditions are immutable'),
          frozenAfter('Interrupted', 'once an Interrupted condition is set, conditions are immutable'),
          frozenAfter('Succeeded', 'once an Succeeded condition is set, conditions are immutable'),
        ],
      ),
      builder: object(
        'Who builds.',
        {
          imageBuilderType: required(string('The way to build: Job.')),
          job: resourceReference('The Job that builds.'),
        },
        {
          rules: [
            {
              rule: "has(self.job) == (self.imageBuilderType == 'Job')",
              message: 'job is required when imageBuilderType is Job, and forbidden otherwise',
            },
          ],
        },
      ),
      relatedObjects: list(
        'Objects that were made for the build and go away with it. Those of a failed build stay, to be looked at.',
        resourceReference('One object.'),
        { maxItems: 10, list: { map: ['name', 'resource'] } },
      ),
      buildStart: dateTime('When the build began.', {
        rules: [immutable('buildStart is immutable once set')],
      }),
      buildEnd: dateTime('When the build ended, well or badly.', {
        rules: [immutable('buildEnd is immutable once set')],
      }),
      digestedImagePushSpec: digestPullSpec('The image that was pushed, by digest.'),
    },
    {
      rules: [
        {
          rule: '!has(self.buildEnd) || (has(self.buildStart) && self.buildStart < self.buildEnd)',
          message: 'buildEnd must be after buildStart',
        },
      ],
    },
  ),
});
export type MachineOSBuild = ObjectOfKind<typeof machineOSBuild>;

/** An ended build keeps its conditions: others may have acted on them. */
function frozenAfter(type: string, message: string): ValidationRule {
  return {
    rule: `!oldSelf.exists(condition, condition.type == '${type}' && condition.status == 'True') || self == oldSelf`,
    message,
  };
}
