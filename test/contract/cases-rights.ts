/** Impersonation, access reviews and token reviews. */

import { eventually } from './eventually.ts';
import type { Loose } from './loose.ts';
import { textOf } from './loose.ts';
import { pod } from './objects.ts';
import { recorded, type Story } from './recorded.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const REVIEWS = '/apis/authorization.k8s.io/v1';
const IDENTITIES = '/apis/authentication.k8s.io/v1';

const as = (user: string, groups: readonly string[] = [], more: Readonly<Record<string, string>> = {}) => ({
  headers: {
    'impersonate-user': user,
    ...(groups.length === 0 ? {} : { 'impersonate-group': groups.join(',') }),
    ...more,
  },
});

/** A role for a user, a group and an account; resolves once it counts. */
async function granted(story: Story): Promise<string> {
  const { make, space, post } = story;
  const rules = [
    { apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get', 'list'] },
    { apiGroups: ['apps'], resources: ['deployments'], resourceNames: ['a', 'b'], verbs: ['*'] },
  ];
  const user = story.name('user');
  await make(`${RBAC}/namespaces/${space}/roles`, { metadata: { name: 'reader' }, rules });
  const subjects = [
    { kind: 'User', name: user },
    { kind: 'Group', name: `${user}-group` },
    { kind: 'ServiceAccount', name: 'default' },
  ];
  const roleRef = { kind: 'Role', name: 'reader' };
  await make(`${RBAC}/namespaces/${space}/rolebindings`, { metadata: { name: 'reads' }, roleRef, subjects });
  const spec = { user, resourceAttributes: { namespace: space, verb: 'get', resource: 'pods' } };
  await eventually('the role counts', async () => {
    const { json } = await post(`${REVIEWS}/subjectaccessreviews`, { spec });
    return String(json.status?.allowed) === 'true' ? true : undefined;
  });
  return user;
}

/** The server returns them in any order. */
function sortedRules({ status }: Loose): unknown {
  const sorted = (rules: unknown) =>
    Array.isArray(rules) ? rules.map((rule) => JSON.stringify(rule)).sort() : rules;
  const plain = JSON.parse(JSON.stringify(status));
  return {
    ...plain,
    resourceRules: sorted(plain.resourceRules),
    nonResourceRules: plain.nonResourceRules.length > 0,
  };
}

export const rightsCases = recorded('rights', {
  'the rules of a user, a group and an account': async (story) => {
    const user = await granted(story);
    const body = { spec: { namespace: story.space } };
    const path = `${REVIEWS}/selfsubjectrulesreviews`;
    for (const who of [
      as('nobody'),
      as(user),
      as('somebody', [`${user}-group`]),
      as(`system:serviceaccount:${story.space}:default`),
    ]) {
      await story.ask('POST', path, { body, ...who, pick: sortedRules });
    }
    await story.ask('POST', path, {
      body: { spec: { namespace: 'not-there' } },
      ...as(user),
      pick: sortedRules,
    });
  },

  'a review of rules needs a namespace, and is kept nowhere': async ({ ask }) => {
    const path = `${REVIEWS}/selfsubjectrulesreviews`;
    await ask('POST', path, { body: { spec: {} } });
    await ask('GET', path);
    await ask('GET', `${path}/a`);
    await ask('DELETE', `${path}/a`);
    await ask('POST', `${path}/a`, { body: {} });
  },

  'single rights, by name and by door': async (story) => {
    const user = await granted(story);
    const path = `${REVIEWS}/selfsubjectaccessreviews`;
    const namespace = story.space;
    for (const resourceAttributes of [
      { namespace, verb: 'get', resource: 'pods' },
      { namespace, verb: 'get', resource: 'pods', subresource: 'log' },
      { namespace, verb: 'get', resource: 'pods', subresource: 'exec' },
      { namespace, verb: 'delete', group: 'apps', resource: 'deployments', name: 'a' },
      { namespace, verb: 'delete', group: 'apps', resource: 'deployments', name: 'c' },
      { namespace, verb: '*', group: '*', resource: '*' },
      { verb: 'get', resource: 'pods' },
    ]) {
      const body = { spec: { resourceAttributes } };
      await story.ask('POST', path, { body, ...as(user), pick: ({ status }) => status });
    }
  },

  'whom a refusal names': async ({ ask, space }) => {
    const core = `/api/v1/namespaces/${space}`;
    const unprivileged = as('nobody');
    await ask('GET', `${core}/pods`, unprivileged);
    await ask('GET', `${core}/pods?fieldSelector=metadata.name=a`, unprivileged);
    await ask('GET', `${core}/pods?watch=true`, unprivileged);
    await ask('GET', `${core}/pods/a/log`, unprivileged);
    await ask('POST', `${core}/configmaps`, { body: { metadata: { name: 'a' } }, ...unprivileged });
    await ask('POST', `${core}/pods/a/eviction`, { body: {}, ...unprivileged });
    await ask('DELETE', `${core}/pods`, unprivileged);
    await ask('GET', '/api/v1/nodes/a', unprivileged);
    await ask('GET', '/apis/example.com/v1/things', unprivileged);
    await ask('GET', '/metrics', unprivileged);
  },

  'acting as a user, a group, an account, or nobody': async (story) => {
    const user = await granted(story);
    const pods = `/api/v1/namespaces/${story.space}/pods`;
    const names = { pick: () => 'listed' };
    await story.ask('GET', pods, { ...as(user), ...names });
    await story.ask('GET', pods, { ...as('x', [`${user}-group`]), ...names });
    await story.ask('GET', pods, { ...as('x', ['system:masters']), ...names });
    await story.ask('GET', pods, { ...as(`system:serviceaccount:${story.space}:default`), ...names });
    await story.ask('GET', pods, { ...as('system:anonymous'), ...names });
    await story.ask('GET', pods, { ...as('system:serviceaccount:BAD'), ...names });
  },

  'a group, a uid or a word without a user is a bare failure': async ({ ask, space }) => {
    const pods = `/api/v1/namespaces/${space}/pods`;
    await ask('GET', pods, { headers: { 'impersonate-group': 'g' } });
    await ask('GET', pods, { headers: { 'impersonate-uid': 'u' } });
    await ask('GET', pods, { headers: { 'impersonate-extra-x': 'y' } });
  },

  'who somebody else is': async ({ ask }) => {
    const more = {
      'impersonate-uid': 'u',
      'impersonate-extra-scopes': 'a',
      'impersonate-extra-acme%2fx': 'b',
    };
    const whoami = `${IDENTITIES}/selfsubjectreviews`;
    const user = ({ status }: Loose): unknown => status?.userInfo;
    await ask('POST', whoami, { body: {}, ...as('x', ['g'], more), pick: user });
    await ask('POST', whoami, { body: {}, ...as('system:anonymous'), pick: user });
    await ask('POST', whoami, { body: {}, ...as('system:serviceaccount:a:b'), pick: user });
  },

  'reviews of others are checked': async ({ ask, space }) => {
    const resourceAttributes = { namespace: space, verb: 'get', resource: 'pods' };
    const path = `${REVIEWS}/subjectaccessreviews`;
    await ask('POST', path, { body: { spec: { resourceAttributes } } });
    await ask('POST', path, { body: { spec: { user: 'x' } } });
    const selector = { rawSelector: 'a=b', requirements: [{ key: 'a', operator: 'In', values: ['b'] }] };
    const both = { user: 'x', resourceAttributes: { ...resourceAttributes, fieldSelector: selector } };
    await ask('POST', path, { body: { spec: both } });
    const local = `${REVIEWS}/namespaces/${space}/localsubjectaccessreviews`;
    const elsewhere = { user: 'x', resourceAttributes: { ...resourceAttributes, namespace: 'other' } };
    await ask('POST', local, { body: { metadata: { namespace: space }, spec: elsewhere } });
    await ask('POST', local, {
      body: { spec: { user: 'x', nonResourceAttributes: { path: '/', verb: 'get' } } },
    });
  },

  'a request for a token is checked': async ({ ask, space }) => {
    const path = (account: string) => `/api/v1/namespaces/${space}/serviceaccounts/${account}/token`;
    await ask('POST', path('none'), { body: {} });
    const bound = (kind: string, name = 'none') => ({ boundObjectRef: { apiVersion: 'v1', kind, name } });
    for (const spec of [
      { expirationSeconds: 10 },
      { expirationSeconds: 5_000_000_000 },
      bound('Pod'),
      bound('Secret'),
      bound('Node'),
      bound('ConfigMap'),
      { boundObjectRef: {} },
    ]) {
      await ask('POST', path('default'), { body: { spec } });
    }
    await ask('POST', path('default'), {
      body: { metadata: { name: 'other' }, spec: { expirationSeconds: 3 } },
    });
    await ask('POST', path('default'), {
      body: { metadata: { name: 'default' }, spec: { expirationSeconds: 3 } },
    });
    await ask('GET', path('default'));
    await ask('PUT', path('default'), { body: {} });
  },

  'a bound token is known with what it is bound to, for its audience alone': async (story) => {
    const { ask, space, make, post } = story;
    await make(`/api/v1/namespaces/${space}/pods`, pod('a'));
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'a' };
    const path = `/api/v1/namespaces/${space}/serviceaccounts/default/token`;
    const tokenFor = async (spec: object) => textOf((await post(path, { spec })).json.status?.token);
    const review = async (token: string, audiences?: readonly string[]) =>
      ask('POST', `${IDENTITIES}/tokenreviews`, {
        body: { spec: { token, ...(audiences === undefined ? {} : { audiences }) } },
        pick: ({ status }) => status,
      });
    const plain = await tokenFor({ boundObjectRef });
    await review(plain);
    await review(plain, ['elsewhere']);
    const foreign = await tokenFor({ audiences: ['vault'], boundObjectRef });
    await review(foreign);
    await review(foreign, ['vault', 'other']);
    await review('nonsense');
    await ask('POST', `${IDENTITIES}/tokenreviews`, { body: { spec: {} } });
  },
});

export const knownTokenCases = recorded(
  'tokens of users',
  {
    'a token of a user is for the server alone': async ({ ask, target }) => {
      const carol = target.users.find(({ name }) => name === 'carol');
      const token = carol?.token;
      for (const audiences of [undefined, ['elsewhere'], ['https://kubernetes.default.svc', 'elsewhere']]) {
        const spec = { token, ...(audiences === undefined ? {} : { audiences }) };
        await ask('POST', `${IDENTITIES}/tokenreviews`, { body: { spec }, pick: ({ status }) => status });
      }
    },

    'who a user is': async ({ ask, target }) => {
      for (const user of target.users.slice(1)) {
        const pick = ({ status }: Loose): unknown => status?.userInfo;
        await ask('POST', `${IDENTITIES}/selfsubjectreviews`, { body: {}, user, pick });
      }
    },
  },
  { needs: ['users'] },
);
