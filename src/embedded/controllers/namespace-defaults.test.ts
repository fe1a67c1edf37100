import { describe, expect, it } from 'vitest';
import { formatWrites } from '../../../test/support/format-writes.ts';
import type { ConfigMap, Namespace } from '../../kubernetes/types/index.ts';
import { type NamespaceSnapshot, namespaceDefaults } from './namespace-defaults.ts';

const active: Namespace = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'space' },
  status: { phase: 'Active' },
};

function decide(given: Partial<NamespaceSnapshot>) {
  return namespaceDefaults({
    namespace: active,
    hasAccount: false,
    bundle: undefined,
    authorityPem: 'PEM',
    ...given,
  });
}

const bundle = decide({})[1]?.object as ConfigMap;

describe('namespaceDefaults', () => {
  it('creates a ServiceAccount and a CA bundle', () => {
    expect(formatWrites(decide({}))).toEqual([
      'create serviceaccounts/default',
      'create configmaps/kube-root-ca.crt',
    ]);
    expect(bundle.data).toEqual({ 'ca.crt': 'PEM' });
  });

  it('does nothing for a deleted or terminating namespace', () => {
    expect(decide({ namespace: undefined })).toEqual([]);
    expect(decide({ namespace: { ...active, status: { phase: 'Terminating' } } })).toEqual([]);
  });

  it('does not create existing objects', () => {
    expect(decide({ hasAccount: true, bundle })).toEqual([]);
  });

  it('restores a changed CA bundle', () => {
    const changed = { ...bundle, data: { 'ca.crt': 'other' } };
    expect(decide({ hasAccount: true, bundle: changed })[0]?.object).toEqual(bundle);
    const bare = { ...bundle, metadata: { name: 'kube-root-ca.crt', namespace: 'space' } };
    expect(formatWrites(decide({ hasAccount: true, bundle: bare }))).toEqual([
      'update configmaps/kube-root-ca.crt',
    ]);
  });
});
