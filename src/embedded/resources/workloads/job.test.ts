import { describe, expect, it } from 'vitest';
import { created, updated } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { jobStrategy as strategy } from './job.ts';

const template = (labels?: JsonObject, spec: JsonObject = {}): JsonObject => ({
  ...(labels === undefined ? {} : { metadata: { labels } }),
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'x:1' }], ...spec },
});
const job = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: 'a', ...metadata },
  spec: { template: template(), ...spec },
});
const ownLabels = {
  'batch.kubernetes.io/controller-uid': 'uid-1',
  'batch.kubernetes.io/job-name': 'a',
  'controller-uid': 'uid-1',
  'job-name': 'a',
};
const shownLabels =
  'map[string]string{"batch.kubernetes.io/controller-uid":"uid-1", "batch.kubernetes.io/job-name":"a", "controller-uid":"uid-1", "job-name":"a"}';
const shownSelector = (labels: string) =>
  `v1.LabelSelector{MatchLabels:map[string]string{${labels}}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}`;

describe('a new Job', () => {
  it('gets defaults, and a generated selector and labels', () => {
    const { object, causes } = created(strategy, job());
    expect(causes).toEqual([]);
    expect(object.metadata).toMatchObject({ generation: 1, labels: ownLabels });
    expect(object.status).toEqual({});
    expect(object.spec).toMatchObject({
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      completionMode: 'NonIndexed',
      suspend: false,
      podReplacementPolicy: 'TerminatingOrFailed',
      manualSelector: false,
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'uid-1' } },
      template: { metadata: { labels: ownLabels } },
    });
  });

  it.each<[JsonObject, JsonObject]>([
    [{ parallelism: 3 }, { parallelism: 3 }],
    [{ completions: 3 }, { parallelism: 1, completions: 3 }],
    [
      { backoffLimitPerIndex: 1, completionMode: 'Indexed', completions: 2 },
      { backoffLimit: 2147483647, backoffLimitPerIndex: 1 },
    ],
    [
      { podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'X' }] }] } },
      {
        podReplacementPolicy: 'Failed',
        podFailurePolicy: {
          rules: [{ action: 'Ignore', onPodConditions: [{ type: 'X', status: 'True' }] }],
        },
      },
    ],
  ])('is validated: %j', (spec, filled) => {
    const made = created(strategy, job(spec));
    expect(made.causes).toEqual([]);
    expect(made.object).toMatchObject({ spec: filled });
  });

  it('leaves completions unset if only parallelism is given', () => {
    expect(created(strategy, job({ parallelism: 3 })).object.spec).not.toHaveProperty('completions');
  });

  it('keeps existing labels, and adds the generated ones to its template', () => {
    const { object } = created(strategy, job({ template: template({ x: 'y' }) }, { labels: { q: 'r' } }));
    expect(object).toMatchObject({ spec: { template: { metadata: { labels: { x: 'y', ...ownLabels } } } } });
    expect(object.metadata).toMatchObject({ labels: { q: 'r' } });
    const { object: plain } = created(strategy, job({ template: template({ x: 'y' }) }));
    expect(plain.metadata).toMatchObject({ labels: { x: 'y', ...ownLabels } });
  });

  it('keeps a manual selector', () => {
    const spec = {
      manualSelector: true,
      selector: { matchLabels: { x: 'y' } },
      template: template({ x: 'y' }),
    };
    const { object, causes } = created(strategy, job(spec));
    expect(causes).toEqual([]);
    expect(object).toMatchObject({ metadata: { labels: { x: 'y' } }, spec: { selector: spec.selector } });
    expect(created(strategy, job({ manualSelector: true })).causes).toEqual([
      'spec.selector FieldValueRequired: Required value',
      'spec.template.metadata.labels FieldValueInvalid: Invalid value: map[string]string(nil): `selector` does not match template `labels`',
    ]);
  });

  it('is rejected with both a generated and a manual selector', () => {
    const selector = { matchLabels: { x: 'y' } };
    const formatted = shownSelector('"batch.kubernetes.io/controller-uid":"uid-1", "x":"y"');
    expect(created(strategy, job({ selector })).causes).toEqual([
      `spec.selector FieldValueInvalid: Invalid value: ${formatted}: \`selector\` not auto-generated`,
      `spec.template.metadata.labels FieldValueInvalid: Invalid value: ${shownLabels}: \`selector\` does not match template \`labels\``,
    ]);
    const labels = shownLabels.replace('"job-name":"a"}', '"job-name":"other"}');
    expect(created(strategy, job({ template: template({ 'job-name': 'other' }) })).causes).toEqual([
      `spec.template.metadata.labels[job-name] FieldValueInvalid: Invalid value: ${labels}: must be 'a'`,
    ]);
  });

  it('is rejected if pod hostnames would be invalid', () => {
    const name = 'a'.repeat(61);
    expect(created(strategy, job({ completionMode: 'Indexed', completions: 1000 }, { name })).causes).toEqual(
      [
        `metadata.name FieldValueInvalid: Invalid value: "${name}": will not able to create pod with invalid DNS label: ${name}-999`,
      ],
    );
  });

  it('warns of a name with dots and of too many indexes', () => {
    const spec = { completionMode: 'Indexed', completions: 100001, parallelism: 10001 };
    expect(created(strategy, job({}, { name: 'a.b' })).warnings).toEqual([
      'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]',
    ]);
    expect(created(strategy, job(spec)).warnings).toEqual([
      'spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail',
    ]);
  });
});

/** The object as a client sends it after changing parts of its spec. */
function withSpec(old: JsonObject, spec: JsonObject): JsonObject {
  return { ...old, spec: { ...(old.spec as JsonObject), ...spec } };
}

describe('the update of a Job', () => {
  const old = created(strategy, job()).object;
  const IMMUTABLE = 'field is immutable';

  it.each<[JsonObject, readonly string[]]>([
    [{ parallelism: 3, backoffLimit: 2, ttlSecondsAfterFinished: 3, suspend: true }, []],
    [{ completions: 4 }, [`spec.completions FieldValueInvalid: Invalid value: 4: ${IMMUTABLE}`]],
    [
      { completionMode: 'Indexed' },
      [`spec.completionMode FieldValueInvalid: Invalid value: "Indexed": ${IMMUTABLE}`],
    ],
    [{ managedBy: 'a.b/c' }, [`spec.managedBy FieldValueInvalid: Invalid value: "a.b/c": ${IMMUTABLE}`]],
    [
      { podFailurePolicy: { rules: [] }, podReplacementPolicy: 'Failed' },
      [
        `spec.podFailurePolicy FieldValueInvalid: Invalid value: batch.PodFailurePolicy{Rules:[]batch.PodFailurePolicyRule{}}: ${IMMUTABLE}`,
      ],
    ],
    [
      { template: template(ownLabels, { nodeSelector: { a: 'b' } }) },
      [`spec.template FieldValueInvalid: Invalid value: core.PodTemplateSpec{…}: ${IMMUTABLE}`],
    ],
    [
      { parallelism: -1 },
      [
        'spec.parallelism FieldValueInvalid: Invalid value: -1: must be greater than or equal to 0',
        'spec.parallelism FieldValueInvalid: Invalid value: -1: must be greater than or equal to 0',
      ],
    ],
  ])('validates the change to %j', (spec, causes) => {
    const { object, causes: found } = updated(strategy, old, withSpec(old, spec));
    expect(found).toEqual(causes);
    expect(object).toMatchObject({ metadata: { generation: 2 } });
  });

  it('does not generate a selector', () => {
    expect(updated(strategy, old, job()).causes.slice(-2)).toEqual([
      `spec.selector FieldValueInvalid: Invalid value: "null": ${IMMUTABLE}`,
      `spec.template FieldValueInvalid: Invalid value: core.PodTemplateSpec{…}: ${IMMUTABLE}`,
    ]);
  });

  it('allows completions to change with parallelism for Indexed jobs', () => {
    const indexed = created(strategy, job({ completionMode: 'Indexed', completions: 5 })).object;
    expect(updated(strategy, indexed, withSpec(indexed, { completions: 6 })).causes).toEqual([
      'spec.completions FieldValueInvalid: Invalid value: 6: can only be modified in tandem with spec.parallelism',
    ]);
    expect(updated(strategy, indexed, withSpec(indexed, { completions: 6, parallelism: 6 })).causes).toEqual(
      [],
    );
  });

  it('allows scheduling directives to change while the job is suspended and has not started', () => {
    const waiting = created(strategy, job({ suspend: true })).object;
    const placed = template(
      { ...ownLabels, more: 'x' },
      { nodeSelector: { a: 'b' }, affinity: { nodeAffinity: {} }, schedulingGates: [{ name: 'x' }] },
    );
    expect(updated(strategy, waiting, withSpec(waiting, { template: placed })).causes).toEqual([]);
    const begun = { ...waiting, status: { startTime: '2024-01-01T00:00:00Z' } };
    expect(updated(strategy, begun, withSpec(waiting, { template: placed })).causes).toHaveLength(1);
    const others = [{ schedulerName: 'x' }, { affinity: { podAffinity: {} } }];
    for (const spec of others) {
      const changed = withSpec(waiting, { template: template(ownLabels, spec) });
      expect(updated(strategy, waiting, changed).causes).toHaveLength(1);
    }
  });
});
