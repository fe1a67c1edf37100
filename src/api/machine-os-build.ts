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
  shortNames: ['mosb'],
  description:
    'One build of an OS image. A change of the MachineOSConfig or the rendered MachineConfig creates a new one; a completed build never changes.',
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
    'Inputs of the build. Immutable.',
    {
      machineConfig: required(
        nameReference('Rendered MachineConfig that is built into the image.', { minLength: 10 }),
      ),
      machineOSConfig: required(nameReference('MachineOSConfig of the build.', { minLength: 1 })),
      renderedImagePushSpec: required(
        tagPushSpec('Reference that the image is pushed to, as host[:port][/namespace]/name:tag.'),
      ),
    },
    { rules: [immutable('machineOSBuildSpec is immutable once set')] },
  ),
  status: object(
    'Observed state of the build.',
    {
      conditions: withRules(
        conditions('Conditions of the build: Prepared, Building, Succeeded, Interrupted or Failed.', {
          maxItems: 8,
        }),
        [
          frozenAfter('Failed', 'once a Failed condition is set, conditions are immutable'),
          frozenAfter('Interrupted', 'once an Interrupted condition is set, conditions are immutable'),
          frozenAfter('Succeeded', 'once an Succeeded condition is set, conditions are immutable'),
        ],
      ),
      builder: object(
        'Builder of the image.',
        {
          imageBuilderType: required(string('Type of the builder: Job.')),
          job: resourceReference('Job of the build.'),
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
        'Objects that were created for the build and are deleted with it. Those of a failed build are kept for inspection.',
        resourceReference('One object.'),
        { maxItems: 10, list: { map: ['name', 'resource'] } },
      ),
      buildStart: dateTime('Start time of the build.', {
        rules: [immutable('buildStart is immutable once set')],
      }),
      buildEnd: dateTime('Completion time of the build, successful or not.', {
        rules: [immutable('buildEnd is immutable once set')],
      }),
      digestedImagePushSpec: digestPullSpec('Image that was pushed, by digest.'),
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

/** A completed build keeps its conditions: controllers may have acted on them. */
function frozenAfter(type: string, message: string): ValidationRule {
  return {
    rule: `!oldSelf.exists(condition, condition.type == '${type}' && condition.status == 'True') || self == oldSelf`,
    message,
  };
}
