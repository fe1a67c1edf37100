/** Recorded from kube-apiserver 1.33. */
import { describe, expect, it } from 'vitest';
import { causeText } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { podTemplateProblems, podTemplateWithDefaults } from './pod-template.ts';
import { podTemplateWarnings } from './pod-warnings.ts';

const template = (spec: JsonObject, metadata: JsonObject = {}): JsonObject =>
  podTemplateWithDefaults({ metadata, spec: { containers: [{ name: 'a', image: 'x' }], ...spec } });

describe('a pod template', () => {
  it('gets the defaults that pods and templates share, and no others', () => {
    const { spec } = template({ hostNetwork: true });
    expect(spec).toMatchObject({ restartPolicy: 'Always', containers: [{ imagePullPolicy: 'Always' }] });
    expect(spec).not.toHaveProperty('enableServiceLinks');
  });

  it('is validated like a pod, except for host ports that its pods default', () => {
    const containers = [{ name: 'a', image: ' x ', ports: [{ containerPort: 80, protocol: 'TCP' }] }];
    expect(podTemplateProblems(template({ hostNetwork: true, containers }), 'spec.template')).toEqual([]);
    expect(podTemplateProblems(template({ containers: [] }), 'spec.template').map(causeText)).toEqual([
      'spec.template.spec.containers FieldValueRequired: Required value',
    ]);
  });

  it('reports labels and annotations without metadata in the path', () => {
    const metadata = { labels: { a: 'b c' }, annotations: { 'a b': '' } };
    const problems = podTemplateProblems(template({}, metadata), 'spec.template');
    expect(problems.map(({ path }) => path)).toEqual(['spec.template.labels', 'spec.template.annotations']);
  });

  it('rejects ephemeral containers', () => {
    const spec = { ephemeralContainers: [{ name: 'e', image: 'x' }] };
    expect(podTemplateProblems(template(spec), 'spec.template').map(causeText)).toEqual([
      'spec.template.spec.ephemeralContainers FieldValueForbidden: Forbidden: ephemeral containers not allowed in pod template',
    ]);
  });

  it('accepts a negative grace period with a warning', () => {
    const spec = { terminationGracePeriodSeconds: -1 };
    expect(template(spec)).toMatchObject({ spec });
    expect(podTemplateWarnings(template(spec), 'spec.template')).toEqual([
      'spec.template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1',
    ]);
  });
});
