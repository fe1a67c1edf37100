import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import { nodePrinter } from './print-nodes.ts';

const cellsOf = (node: JsonObject) => nodePrinter.row(node, 0).cells;
const condition = (type: string, status: string) => ({ type, status });

// Recorded from kube-apiserver 1.33.
describe('the row of a node', () => {
  it('has placeholders if nothing is known', () => {
    const unknown = ['<unknown>', '<unknown>', '<unknown>'];
    expect(cellsOf({ metadata: { name: 'a' } })).toEqual([
      'a',
      'Unknown',
      '<none>',
      '<unknown>',
      '',
      '<none>',
      '<none>',
      ...unknown,
    ]);
  });

  it.each([
    ['Ready', [condition('Ready', 'True')], {}],
    ['NotReady', [condition('Ready', 'False')], {}],
    ['NotReady', [condition('DiskPressure', 'True'), condition('Ready', 'Unknown')], {}],
    ['Unknown,SchedulingDisabled', [condition('DiskPressure', 'True')], { unschedulable: true }],
    ['Ready,SchedulingDisabled', [condition('Ready', 'True')], { unschedulable: true }],
  ])('has the status %s', (state, conditions, spec) => {
    expect(cellsOf({ metadata: { name: 'a' }, spec, status: { conditions } })[1]).toBe(state);
  });

  it.each([
    ['<none>', { 'kubernetes.io/role': '', 'example.com/role': 'x' }],
    ['infra,worker', { 'node-role.kubernetes.io/worker': '', 'node-role.kubernetes.io/infra': 'x' }],
    ['old,worker', { 'kubernetes.io/role': 'old', 'node-role.kubernetes.io/worker': '' }],
    ['old', { 'kubernetes.io/role': 'old', 'node-role.kubernetes.io/old': '' }],
  ])('has the roles %s', (roles, labels) => {
    expect(cellsOf({ metadata: { name: 'a', labels } })[2]).toBe(roles);
  });

  it('has versions and the first address of each type', () => {
    const status = {
      nodeInfo: {
        kubeletVersion: 'v1.33.0',
        osImage: 'Some OS',
        kernelVersion: '6.1',
        containerRuntimeVersion: 'cri-o://1',
      },
      addresses: [
        { type: 'Hostname', address: 'h' },
        { type: 'ExternalIP', address: '1.2.3.4' },
        { type: 'InternalIP', address: 'fd00::1' },
        { type: 'InternalIP', address: '10.0.0.1' },
      ],
    };
    expect(cellsOf({ metadata: { name: 'a' }, status }).slice(4)).toEqual([
      'v1.33.0',
      'fd00::1',
      '1.2.3.4',
      'Some OS',
      '6.1',
      'cri-o://1',
    ]);
  });
});
