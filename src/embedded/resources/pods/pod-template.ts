/**
 * Pod templates of workloads: defaults and validation.
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

/** A template with the defaults of its pods. */
export function podTemplateWithDefaults(template: JsonObject): JsonObject {
  return withChangedField(template, 'spec', podSpecWithDefaults);
}

/** Problems with the template at the path, such as `spec.template`. Paths omit its `metadata`. */
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
