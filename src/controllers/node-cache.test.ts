import { expect, it } from 'vitest';
import type { Node } from '../kubernetes/types/index.ts';
import { withoutImagesAndVolumes } from './node-cache.ts';

const bare: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, spec: { unschedulable: true } };

it('the node cache drops images and volumes of nodes and keeps all other fields', () => {
  const status = {
    conditions: [{ type: 'Ready', status: 'True' }],
    nodeInfo: { kubeletVersion: 'v1.33.1' },
    capacity: { cpu: '4' },
  };
  const stores = {
    images: [{ names: ['registry.example/i:1'], sizeBytes: 1 }],
    volumesInUse: ['v'],
    volumesAttached: [{ name: 'v', devicePath: '/dev/x' }],
  };
  // A part of the status that a kubelet reports.
  const full = { ...bare, status: { ...status, ...stores } } as unknown as Node;
  expect(withoutImagesAndVolumes(full)).toEqual({ ...bare, status });
  expect(withoutImagesAndVolumes(bare)).toBe(bare);
});
