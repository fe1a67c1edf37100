import { describe, expect, it } from 'vitest';
import { event } from './event.ts';
import { job } from './job.ts';
import { findBuiltin } from './kinds.ts';
import { node } from './node.ts';
import { pod } from './pod.ts';
import { selectable, selectableValue } from './selectable-fields.ts';

describe('selectableValue', () => {
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'spec'],
    ['a list', [{ nodeName: 'a' }]],
    ['a spec that is a list', { spec: ['nodeName'] }],
    ['a node name that is an object', { spec: { nodeName: { toString: 'a' } } }],
    ['a field of the prototype', Object.create({ spec: { nodeName: 'a' } })],
  ])('is empty for %s', (_, object: unknown) => {
    expect(selectableValue(selectable('spec.nodeName'), object)).toBe('');
  });

  it('ignores inherited properties', () => {
    expect(selectableValue(selectable('constructor.name'), {})).toBe('');
  });

  it.each([
    [pod, 'metadata.name', { metadata: { name: 'a' } }, 'a'],
    [pod, 'spec.nodeName', { spec: { nodeName: 'worker-0' } }, 'worker-0'],
    [pod, 'spec.host', { spec: { nodeName: 'worker-0' } }, 'worker-0'],
    [pod, 'spec.hostNetwork', { spec: { hostNetwork: true } }, 'true'],
    [pod, 'spec.hostNetwork', { spec: {} }, 'false'],
    [pod, 'status.podIP', { status: { podIP: '10.0.0.1' } }, '10.0.0.1'],
    [pod, 'status.podIP', { status: { podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.2' }] } }, '10.0.0.2'],
    [pod, 'status.podIPs', { status: { podIPs: [{ ip: '10.0.0.2' }, { ip: 'fd00::2' }] } }, '10.0.0.2'],
    [node, 'spec.unschedulable', { spec: { unschedulable: true } }, 'true'],
    [node, 'spec.unschedulable', {}, 'false'],
    [job, 'status.successful', { status: { succeeded: 3 } }, '3'],
    [job, 'status.successful', {}, '0'],
    [event, 'source', { source: { component: 'kubelet' }, reportingComponent: 'other' }, 'kubelet'],
    [event, 'source', { source: {}, reportingComponent: 'other' }, 'other'],
    [event, 'involvedObject.uid', { involvedObject: { uid: 'u' } }, 'u'],
  ])('of $0.kind $1 is that of the object', (kind, name, object, expected) => {
    const field = kind.selectableFields.find((one) => one.name === name);
    expect(field && selectableValue(field, object)).toBe(expected);
  });

  it('is limited to the selectable fields of the server', () => {
    const names = findBuiltin('v1', 'Node')?.selectableFields.map(({ name }) => name);
    expect(names).toEqual(['metadata.name', 'spec.unschedulable']);
  });
});
