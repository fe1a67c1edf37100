/** Recorded from kube-apiserver 1.33. */

import { describe, expect, it } from 'vitest';
import { created, statusUpdated, updated } from '../../../../test/support/resource-writes.ts';
import type { JsonObject } from '../../../base/json.ts';
import { objectAt } from '../../../base/json-fields.ts';
import { podStrategy as strategy } from './pod.ts';

const container = { name: 'a', image: 'x' };
const pod = (spec: JsonObject = {}): JsonObject => ({
  metadata: { name: 'a' },
  spec: { containers: [container], ...spec },
});
const made = (spec: JsonObject = {}): JsonObject => created(strategy, pod(spec)).object;
const withResources = (resources: JsonObject): JsonObject =>
  made({ containers: [{ ...container, resources }] });

describe('the strategy of Pods', () => {
  it('makes a new pod Pending, whatever was sent', () => {
    const { object } = created(strategy, { ...pod(), status: { phase: 'Running' } });
    expect(object).toMatchObject({ metadata: { generation: 1 } });
    expect(object.status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
  });

  it('reports scheduling gates in the PodScheduled condition', () => {
    expect(made({ schedulingGates: [{ name: 'x/y' }] }).status).toEqual({
      phase: 'Pending',
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          lastProbeTime: null,
          lastTransitionTime: '2024-01-02T03:04:05Z',
          reason: 'SchedulingGated',
          message: 'Scheduling is blocked due to non-empty scheduling gates',
        },
      ],
      qosClass: 'BestEffort',
    });
  });

  it.each<[string, JsonObject]>([
    ['BestEffort', {}],
    ['Guaranteed', { limits: { cpu: 1, memory: '1Gi' } }],
    ['Guaranteed', { limits: { cpu: 1, memory: '1Gi' }, requests: { cpu: '1000m', memory: '1024Mi' } }],
    ['Burstable', { requests: { cpu: 1 } }],
    ['Burstable', { limits: { cpu: 1 } }],
    ['Burstable', { limits: { cpu: 1, memory: '1Gi' }, requests: { cpu: '500m' } }],
    ['BestEffort', { limits: { cpu: 0 } }],
    ['BestEffort', { limits: { 'example.com/x': 1, 'ephemeral-storage': '1Gi' } }],
  ])('sets the QoS class %s for %j', (qosClass, resources) => {
    expect(withResources(resources)).toMatchObject({ status: { qosClass } });
  });

  it('drops fields of disabled feature gates', () => {
    const containers = [{ ...container, resources: { claims: [{ name: 'x' }] } }];
    const { spec } = made({ containers, resources: { limits: { cpu: 1 } }, resourceClaims: [{ name: 'x' }] });
    expect(spec).not.toHaveProperty('resources');
    expect(spec).not.toHaveProperty('resourceClaims');
    expect(spec).toMatchObject({ containers: [{ resources: {} }] });
  });

  it('increments the generation with the spec, and keeps the status', () => {
    const old = made();
    const spec = { ...objectAt(old, 'spec'), containers: [{ ...container, image: 'new' }] };
    const { object, causes } = updated(strategy, old, { ...old, spec, status: { phase: 'Running' } });
    expect(causes).toEqual([]);
    expect(object).toMatchObject({ metadata: { generation: 2 }, status: { phase: 'Pending' } });
    expect(updated(strategy, old, old).object).toEqual(old);
  });

  it('writes the status only through the status subresource, and nothing else there', () => {
    const old = made();
    const metadata = {
      ...objectAt(old, 'metadata'),
      labels: { x: 'y' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' }],
    };
    const sent = { ...old, metadata, spec: { containers: [] }, status: { phase: 'Running' } };
    const { object, causes } = statusUpdated(strategy, old, sent);
    expect(causes).toEqual([]);
    expect(object).toEqual({
      ...old,
      metadata: { ...objectAt(old, 'metadata'), labels: { x: 'y' } },
      status: { phase: 'Running', qosClass: 'BestEffort' },
    });
  });

  it('keeps the QoS class immutable', () => {
    const old = made();
    const status = { qosClass: 'Guaranteed', podIPs: [{ ip: 'x' }] };
    expect(statusUpdated(strategy, old, { ...old, status }).causes).toEqual([
      'status.qosClass FieldValueInvalid: Invalid value: "Guaranteed": field is immutable',
      'status.podIPs[0] FieldValueInvalid: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ]);
  });

  it.each<[string, JsonObject, JsonObject, number | undefined, number]>([
    ['deletes an unscheduled pod immediately', {}, {}, undefined, 0],
    ['deletes a finished pod immediately', { nodeName: 'n' }, { phase: 'Succeeded' }, 20, 0],
    [
      'uses the grace period of the spec',
      { nodeName: 'n', terminationGracePeriodSeconds: 7 },
      {},
      undefined,
      7,
    ],
    ['uses the grace period of the request', { nodeName: 'n' }, {}, 20, 20],
    ['uses one second for a negative grace period', { nodeName: 'n' }, {}, -1, 1],
    ['deletes immediately on request', { nodeName: 'n' }, {}, 0, 0],
  ])('%s', (_, spec, status, requested, seconds) => {
    expect(strategy.gracePeriodSeconds?.({ ...made(spec), status }, requested)).toBe(seconds);
  });
});
