import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../base/json.ts';
import { bootstrapPolicy } from './bootstrap-policy.ts';

/**
 * Of what kube-apiserver 1.33.13 lists once its controllers have run: the items as canonical JSON, without kind and
 * apiVersion, and of the metadata only name, namespace, labels and annotations.
 */
const DIGESTS = {
  clusterRoles: '0b8bad7ed321ee3393ac15f84bb241e10f9b7f2098e5313d7ce055a550dc6cd0',
  clusterRoleBindings: 'ec37ad13d3f767d28d52c8d49cd7a8c323166b492d694ab676df99dc99562b2e',
  roles: 'bd6d5c9a2d8a68df3db3cec628469c77e470172053eb99334344541335d85fea',
  roleBindings: '3b5c44564b04f254a1d335b5e2160574e7fee842c03d594361a2a5b666ceae02',
} as const;

describe('bootstrapPolicy', () => {
  it.each(['clusterRoles', 'clusterRoleBindings', 'roles', 'roleBindings'] as const)(
    'the %s are those of Kubernetes 1.33, in the order of a list',
    (list) => {
      const items = bootstrapPolicy[list].map(({ apiVersion: _apiVersion, kind: _kind, ...rest }) => rest);
      expect(createHash('sha256').update(canonicalJson(items)).digest('hex')).toBe(DIGESTS[list]);
    },
  );

  it('binds existing roles only', () => {
    const clusterRoles = new Set(bootstrapPolicy.clusterRoles.map(({ metadata }) => metadata.name));
    const roles = new Set(
      bootstrapPolicy.roles.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
    );
    for (const { roleRef } of bootstrapPolicy.clusterRoleBindings)
      expect(clusterRoles).toContain(roleRef.name);
    for (const { roleRef, metadata } of bootstrapPolicy.roleBindings) {
      expect(roles).toContain(`${metadata.namespace}/${roleRef.name}`);
    }
  });

  it('grants admin the rules of edit, and edit those of view', () => {
    const rulesOf = (name: string) =>
      bootstrapPolicy.clusterRoles.find(({ metadata }) => metadata.name === name)?.rules ?? [];
    const texts = (name: string) => rulesOf(name).map(canonicalJson);
    expect(rulesOf('view').length).toBeGreaterThan(5);
    expect(texts('edit')).toEqual(expect.arrayContaining(texts('view')));
    expect(texts('admin')).toEqual(expect.arrayContaining(texts('edit')));
    expect(rulesOf('edit').length).toBeGreaterThan(rulesOf('view').length);
    expect(rulesOf('admin').length).toBeGreaterThan(rulesOf('edit').length);
  });
});
