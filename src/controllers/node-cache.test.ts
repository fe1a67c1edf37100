import { expect, it } from 'vitest';
import type { Node } from '../kubernetes/types/index.ts';
import { nodeForCache } from './node-cache.ts';

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
  expect(nodeForCache(full, [])).toEqual({ ...bare, status });
  expect(nodeForCache(bare, [])).toBe(bare);
});

it('the node cache keeps who cordoned a node, and no other fields of managers', () => {
  const owned = (manager: string, fields: object) => ({ manager, operation: 'Update', fieldsV1: fields });
  const cordon = { 'f:spec': { 'f:unschedulable': {} } };
  const managedFields = [
    owned('kubelet', { 'f:status': { 'f:images': {} } }),
    owned('kubectl-cordon', { ...cordon, 'f:metadata': { 'f:labels': { 'f:x': {} } } }),
  ];
  expect(nodeForCache(bare, managedFields).metadata).toEqual({
    name: 'n',
    managedFields: [{ manager: 'kubectl-cordon', fieldsV1: cordon }],
  });
  expect(nodeForCache({ ...bare, spec: {} }, managedFields).metadata).toEqual({ name: 'n' });
});
