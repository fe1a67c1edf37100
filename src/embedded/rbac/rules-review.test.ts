import { describe, expect, it } from 'vitest';
import { listedRules } from '../../../test/support/listed-rules.ts';
import { bootstrapPolicy } from './bootstrap-policy.ts';
import { clusterRole, clusterRoleBinding, role, roleBinding, rule, user } from './policy-builders.ts';
import { selfSubjectRulesReview } from './rules-review.ts';

const alice = { name: 'alice', groups: ['system:authenticated'] };
const ask = (namespace: string, source = listedRules(bootstrapPolicy)) =>
  selfSubjectRulesReview({ metadata: { name: 'x' }, spec: { namespace } }, alice, source);

describe('selfSubjectRulesReview', () => {
  it('requires a namespace', () => {
    const refused = { kind: 'badRequest', message: 'no namespace on request' };
    expect(ask('')).toEqual(refused);
    expect(selfSubjectRulesReview({}, alice, listedRules({}))).toEqual(refused);
  });

  it('lists the rules of all users, without the spec', () => {
    expect(ask('nowhere')).toEqual({
      kind: 'answer',
      object: {
        kind: 'SelfSubjectRulesReview',
        apiVersion: 'authorization.k8s.io/v1',
        metadata: { creationTimestamp: null },
        spec: {},
        status: {
          resourceRules: [
            {
              verbs: ['create'],
              apiGroups: ['authorization.k8s.io'],
              resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
            },
            { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
          ],
          nonResourceRules: [
            {
              verbs: ['get'],
              nonResourceURLs: [
                '/api',
                '/api/*',
                '/apis',
                '/apis/*',
                '/healthz',
                '/livez',
                '/openapi',
                '/openapi/*',
                '/readyz',
                '/version',
                '/version/',
              ],
            },
            { verbs: ['get'], nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'] },
          ],
          incomplete: false,
        },
      },
    });
  });

  it('includes the roles of the namespace and reports missing ones', () => {
    const here = (name: string) => ({ namespace: 'here', name });
    const source = listedRules({
      clusterRoles: [clusterRole('none', [])],
      clusterRoleBindings: [
        clusterRoleBinding('none', [user('alice')]),
        clusterRoleBinding('nope', [user('alice')]),
      ],
      roles: [role(here('reader'), [rule('get', '', 'pods', 'a')])],
      roleBindings: [
        roleBinding(here('reader'), [user('alice')]),
        roleBinding(here('gone'), [user('alice')]),
      ],
    });
    const reason = 'clusterrole.rbac.authorization.k8s.io "nope" not found';
    expect(ask('here', source)).toMatchObject({
      object: {
        status: {
          resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] }],
          nonResourceRules: [],
          evaluationError: `[${reason}, role.rbac.authorization.k8s.io "gone" not found]`,
        },
      },
    });
    expect(ask('there', source)).toMatchObject({
      object: { status: { resourceRules: [], evaluationError: reason } },
    });
  });
});
