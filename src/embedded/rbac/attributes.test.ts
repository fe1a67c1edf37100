import { describe, expect, it } from 'vitest';
import { type Attributes, forbiddenText, type ResourceAttributes } from './attributes.ts';

const alice = { name: 'alice', groups: [] };

function asked(verb: string, resource: string, more: Partial<ResourceAttributes> = {}): Attributes {
  const nothing = { group: '', version: 'v1', subresource: '', namespace: '', name: '' };
  return { kind: 'resource', user: alice, verb, resource, ...nothing, ...more };
}

const path = (verb: string, text: string): Attributes => ({ kind: 'path', user: alice, verb, path: text });

describe('forbiddenText', () => {
  it.each<[Attributes, string]>([
    [
      asked('list', 'nodes'),
      'User "alice" cannot list resource "nodes" in API group "" at the cluster scope',
    ],
    [
      asked('get', 'pods', { namespace: 'default', subresource: 'log' }),
      'User "alice" cannot get resource "pods/log" in API group "" in the namespace "default"',
    ],
    [
      asked('deletecollection', 'deployments', { group: 'apps', namespace: 'n' }),
      'User "alice" cannot deletecollection resource "deployments" in API group "apps" in the namespace "n"',
    ],
    [
      asked('list', 'pods', { user: { name: '<b>&"x"', groups: [] } }),
      'User "&lt;b&gt;&amp;\\"x\\"" cannot list resource "pods" in API group "" at the cluster scope',
    ],
    [path('get', '/metrics'), 'User "alice" cannot get path "/metrics"'],
    [path('put', '/debug/<x>'), 'User "alice" cannot put path "/debug/&lt;x&gt;"'],
    [path('get', '/a"b\nc'), 'User "alice" cannot get path "/a\\"b\\nc"'],
  ])('names the missing permission (%#)', (attributes, text) => {
    expect(forbiddenText(attributes)).toBe(text);
  });

  it('adds errors of the lookup of roles', () => {
    const reason = 'RBAC: clusterrole.rbac.authorization.k8s.io "nope" not found';
    expect(forbiddenText(path('get', '/metrics'), reason)).toBe(
      `User "alice" cannot get path "/metrics": ${reason}`,
    );
  });
});
