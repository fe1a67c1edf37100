import { expect, it } from 'vitest';
import type { Node } from '../kubernetes/types/index.ts';
import { nodePatch } from './node-change.ts';

const node: Node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', resourceVersion: '7' },
  spec: {},
};

it.each([
  [
    { annotations: { a: 'b', c: null } },
    { metadata: { resourceVersion: '7', annotations: { a: 'b', c: null } } },
  ],
  [
    { unschedulable: true, annotations: {} },
    { metadata: { resourceVersion: '7', annotations: {} }, spec: { unschedulable: true } },
  ],
  [
    { unschedulable: false, annotations: {} },
    { metadata: { resourceVersion: '7', annotations: {} }, spec: { unschedulable: null } },
  ],
])('%j is written against the version that was seen', (change, patch) => {
  expect(nodePatch(node, change)).toEqual(patch);
});
