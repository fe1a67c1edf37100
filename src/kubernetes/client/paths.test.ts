import { describe, expect, it } from 'vitest';
import { machineConfigPool } from '../../api/index.ts';
import { configMap, node } from '../types/index.ts';
import { collectionPath, objectPath, queryText } from './paths.ts';

describe('paths', () => {
  it.each<[string, string]>([
    [collectionPath(node), '/api/v1/nodes'],
    [collectionPath(configMap), '/api/v1/configmaps'],
    [collectionPath(configMap, 'a b'), '/api/v1/namespaces/a%20b/configmaps'],
    [objectPath(node, { name: 'n' }), '/api/v1/nodes/n'],
    [objectPath(node, { name: 'system:node' }, 'status'), '/api/v1/nodes/system%3Anode/status'],
    [objectPath(configMap, { namespace: 's', name: 'c?d#e' }), '/api/v1/namespaces/s/configmaps/c%3Fd%23e'],
    [
      objectPath(machineConfigPool, { name: 'worker' }),
      '/apis/machineconfiguration.openshift.io/v1/machineconfigpools/worker',
    ],
  ])('are built: %s', (path, expected) => {
    expect(path).toBe(expected);
  });

  it.each(['', '.', '..', '../nodes', 'a/b', 'a%2fb'])('reject the name %j', (name) => {
    expect(() => objectPath(node, { name })).toThrow(/is not a valid object name$/);
    expect(() => objectPath(configMap, { namespace: 's', name })).toThrow(/is not a valid object name/);
    if (name !== '') expect(() => collectionPath(configMap, name)).toThrow(/is not a valid object name/);
  });

  it('throw an internal error if the namespace does not match the scope', () => {
    expect(() => objectPath(configMap, { name: 'c' })).toThrow(/^internal error: /);
    expect(() => objectPath(node, { name: 'n', namespace: 's' })).toThrow(/^internal error: /);
  });

  it('have queries without undefined parameters', () => {
    expect(queryText({ a: undefined, b: 'x=y&z', c: 5, d: '' })).toBe('b=x%3Dy%26z&c=5&d=');
    expect(queryText({ a: undefined })).toBe('');
  });
});
