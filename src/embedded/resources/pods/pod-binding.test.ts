/** Recorded from kube-apiserver 1.33. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/json.ts';
import { bindPod } from './pod-binding.ts';

const now = '2024-01-02T03:04:05Z';
const pod = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: 'a', generation: 1, ...metadata },
  spec,
  status: { phase: 'Pending' },
});
const binding = (target: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: 'a', ...metadata },
  target,
});
const somewhere = binding({ kind: 'Node', name: 'somewhere' });

describe('bindPod', () => {
  it.each<[string, JsonObject, JsonObject, number, string]>([
    [
      'a binding of another pod',
      pod(),
      binding({ name: 'n' }, { name: 'b' }),
      400,
      'name in URL does not match name in Binding object',
    ],
    ['a binding without a node', pod(), binding({}), 500, 'target.name: Required value'],
    [
      'a target of another kind',
      pod(),
      binding({ kind: 'Pod', name: 'x' }),
      500,
      'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
    ],
    [
      'a pod that is already scheduled',
      pod({ nodeName: 'n' }),
      somewhere,
      409,
      'Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to node "n"',
    ],
    [
      'a pod with scheduling gates',
      pod({ schedulingGates: [{ name: 'g' }] }),
      somewhere,
      409,
      'Operation cannot be fulfilled on pods/binding "a": pod a has non-empty .spec.schedulingGates',
    ],
    [
      'a pod that is being deleted',
      pod({}, { deletionTimestamp: now }),
      somewhere,
      409,
      'Operation cannot be fulfilled on pods/binding "a": pod a is being deleted, cannot be assigned to a host',
    ],
  ])('rejects %s', (_, one, sent, code, message) => {
    expect(bindPod(one, sent, now)).toMatchObject({ kind: 'error', status: { code, message } });
  });

  it('sets the node and the PodScheduled condition, and keeps the generation', () => {
    expect(bindPod(pod(), somewhere, now)).toEqual({
      kind: 'bound',
      pod: {
        metadata: { name: 'a', generation: 1 },
        spec: { nodeName: 'somewhere' },
        status: {
          phase: 'Pending',
          conditions: [
            { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: now },
          ],
        },
      },
    });
  });

  it('copies annotations but no labels, and replaces the PodScheduled condition', () => {
    const held = {
      type: 'PodScheduled',
      status: 'False',
      lastTransitionTime: 'then',
      reason: 'Unschedulable',
    };
    const one = { ...pod({}, { annotations: { b: 'c' } }), status: { conditions: [held] } };
    const sent = binding({ name: 'n' }, { annotations: { note: 'x' }, labels: { l: 'm' } });
    const bound = bindPod(one, sent, now);
    expect(bound).toMatchObject({ pod: { metadata: { annotations: { b: 'c', note: 'x' } } } });
    expect(bound).not.toHaveProperty('pod.metadata.labels');
    expect(bound).toHaveProperty('pod.status.conditions', [
      { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: now },
    ]);
  });
});
