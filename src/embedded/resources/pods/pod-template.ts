/**
 * Templates of pods, in the kinds that make pods: what is filled in, and what is wrong with them.
 */

import type { Problem } from '../../../base/errors.ts';
import type { JsonObject } from '../../../base/json.ts';
import { objectAt, objectsAt, stringMapAt } from '../../../base/json-fields.ts';
import { forbidden } from '../field-problems.ts';
import { withChangedField } from '../object-edits.ts';
import { annotationMapProblems, labelProblems } from '../object-meta.ts';
import { podAnnotationProblems, profileMatchProblems } from './pod-annotations.ts';
import { podSpecWithDefaults } from './pod-defaults.ts';
import { podSpecProblems } from './pod-spec.ts';

/** A template with the defaults that its pods would have anyway. */
export function podTemplateWithDefaults(template: JsonObject): JsonObject {
  return withChangedField(template, 'spec', podSpecWithDefaults);
}

/** All that is wrong with a template at the path, such as `spec.template`. Its metadata is left out of paths. */
export function podTemplateProblems(template: JsonObject | undefined, path: string): readonly Problem[] {
  const metadata = objectAt(template, 'metadata');
  const annotations = stringMapAt(metadata, 'annotations');
  const spec = objectAt(template, 'spec') ?? {};
  return [
    ...labelProblems(`${path}.labels`, stringMapAt(metadata, 'labels')),
    ...annotationMapProblems(`${path}.annotations`, annotations),
    ...podAnnotationProblems(annotations, spec, `${path}.annotations`),
    ...podSpecProblems(spec, `${path}.spec`, { isTemplate: true }),
    ...profileMatchProblems(annotations, spec, `${path}.spec`),
    ...(objectsAt(spec, 'ephemeralContainers').length === 0
      ? []
      : [forbidden(`${path}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template')]),
  ];
}
