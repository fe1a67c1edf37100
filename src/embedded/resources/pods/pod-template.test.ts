/** Recorded from kube-apiserver 1.33. */
import { describe, expect, it } from 'vitest';
import { causeText } from '../../../../test/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { podTemplateProblems, podTemplateWithDefaults } from './pod-template.ts';
import { podTemplateWarnings } from './pod-warnings.ts';

const template = (spec: JsonObject, metadata: JsonObject = {}): JsonObject =>
  podTemplateWithDefaults({ metadata, spec: { containers: [{ name: 'a', image: 'x' }], ...spec } });

describe('a template of pods', () => {
  it('gets what its pods share, and leaves the rest to them', () => {
    const { spec } = template({ hostNetwork: true });
    expect(spec).toMatchObject({ restartPolicy: 'Always', containers: [{ imagePullPolicy: 'Always' }] });
    expect(spec).not.toHaveProperty('enableServiceLinks');
  });

  it('is judged like a pod, but for ports of the host that its pods will fill in', () => {
    const containers = [{ name: 'a', image: ' x ', ports: [{ containerPort: 80, protocol: 'TCP' }] }];
    expect(podTemplateProblems(template({ hostNetwork: true, containers }), 'spec.template')).toEqual([]);
    expect(podTemplateProblems(template({ containers: [] }), 'spec.template').map(causeText)).toEqual([
      'spec.template.spec.containers FieldValueRequired: Required value',
    ]);
  });

  it('has labels and annotations, which are blamed without the metadata around them', () => {
    const metadata = { labels: { a: 'b c' }, annotations: { 'a b': '' } };
    const problems = podTemplateProblems(template({}, metadata), 'spec.template');
    expect(problems.map(({ path }) => path)).toEqual(['spec.template.labels', 'spec.template.annotations']);
  });

  it('has no ephemeral containers', () => {
    const spec = { ephemeralContainers: [{ name: 'e', image: 'x' }] };
    expect(podTemplateProblems(template(spec), 'spec.template').map(causeText)).toEqual([
      'spec.template.spec.ephemeralContainers FieldValueForbidden: Forbidden: ephemeral containers not allowed in pod template',
    ]);
  });

  it('may ask for less than no time, with a warning', () => {
    const spec = { terminationGracePeriodSeconds: -1 };
    expect(template(spec)).toMatchObject({ spec });
    expect(podTemplateWarnings(template(spec), 'spec.template')).toEqual([
      'spec.template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1',
    ]);
  });
});
