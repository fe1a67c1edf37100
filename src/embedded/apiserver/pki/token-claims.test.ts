import { describe, expect, it } from 'vitest';
import { boundTo, claimsFor, renewalTime, type TokenOptions, userOfClaims } from './token-claims.ts';

const NOW = 1_794_742_565;
const account = { name: 'robot', uid: 'ee326a23' };
const order = (more: Partial<TokenOptions> = {}): TokenOptions => ({
  namespace: 'default',
  serviceAccount: account,
  audiences: [],
  expirationSeconds: 3600,
  id: '46dcfa2e',
  now: NOW * 1000 + 999,
  ...more,
});
const pod = { name: 'p', uid: 'a7026af7' };
const node = { name: 'n1', uid: '0d858e00' };
const secret = { name: 's1', uid: '0e7806bf' };

/** As kube-apiserver 1.33.13 wrote them for the issuer https://kubernetes.default.svc. */
const recorded: readonly [string, Partial<TokenOptions>, string][] = [
  [
    'for the server',
    {},
    '{"aud":["https://kubernetes.default.svc"],"exp":1794746165,"iat":1794742565,"iss":"https://kubernetes.default.svc","jti":"46dcfa2e","kubernetes.io":{"namespace":"default","serviceaccount":{"name":"robot","uid":"ee326a23"}},"nbf":1794742565,"sub":"system:serviceaccount:default:robot"}',
  ],
  [
    'for others, for two hours',
    { audiences: ['a', 'b'], expirationSeconds: 7200 },
    '{"aud":["a","b"],"exp":1794749765,"iat":1794742565,"iss":"https://kubernetes.default.svc","jti":"46dcfa2e","kubernetes.io":{"namespace":"default","serviceaccount":{"name":"robot","uid":"ee326a23"}},"nbf":1794742565,"sub":"system:serviceaccount:default:robot"}',
  ],
  [
    'bound to a pod on a node',
    { pod, node },
    '{"aud":["https://kubernetes.default.svc"],"exp":1794746165,"iat":1794742565,"iss":"https://kubernetes.default.svc","jti":"46dcfa2e","kubernetes.io":{"namespace":"default","node":{"name":"n1","uid":"0d858e00"},"pod":{"name":"p","uid":"a7026af7"},"serviceaccount":{"name":"robot","uid":"ee326a23"}},"nbf":1794742565,"sub":"system:serviceaccount:default:robot"}',
  ],
  [
    'bound to a pod on a node that is not there',
    { pod, node: { name: 'n9' } },
    '{"aud":["https://kubernetes.default.svc"],"exp":1794746165,"iat":1794742565,"iss":"https://kubernetes.default.svc","jti":"46dcfa2e","kubernetes.io":{"namespace":"default","node":{"name":"n9"},"pod":{"name":"p","uid":"a7026af7"},"serviceaccount":{"name":"robot","uid":"ee326a23"}},"nbf":1794742565,"sub":"system:serviceaccount:default:robot"}',
  ],
  [
    'bound to a secret',
    { secret },
    '{"aud":["https://kubernetes.default.svc"],"exp":1794746165,"iat":1794742565,"iss":"https://kubernetes.default.svc","jti":"46dcfa2e","kubernetes.io":{"namespace":"default","secret":{"name":"s1","uid":"0e7806bf"},"serviceaccount":{"name":"robot","uid":"ee326a23"}},"nbf":1794742565,"sub":"system:serviceaccount:default:robot"}',
  ],
  [
    'that a kubelet asks for',
    { pod, node, expirationSeconds: 3607 },
    '{"aud":["https://kubernetes.default.svc"],"exp":1826278565,"iat":1794742565,"iss":"https://kubernetes.default.svc","jti":"46dcfa2e","kubernetes.io":{"namespace":"default","node":{"name":"n1","uid":"0d858e00"},"pod":{"name":"p","uid":"a7026af7"},"serviceaccount":{"name":"robot","uid":"ee326a23"},"warnafter":1794746172},"nbf":1794742565,"sub":"system:serviceaccount:default:robot"}',
  ],
];

describe('the claims of a token', () => {
  it.each(recorded)('%s are those of Kubernetes', (_, more, text) => {
    expect(JSON.stringify(claimsFor(order(more)))).toBe(text);
  });

  it.each<[string, Partial<TokenOptions>, number]>([
    ['a pod, for others', { pod, audiences: ['vault'], expirationSeconds: 3607 }, NOW + 3607],
    ['no pod', { expirationSeconds: 3607 }, NOW + 3607],
    ['a pod that asks for another time', { pod, expirationSeconds: 3608 }, NOW + 3608],
  ])('have the lifetime requested by %s', (_, more, exp) => {
    const claims = claimsFor(order(more));
    expect(claims.exp).toBe(exp);
    expect(renewalTime(claims)).toBe(exp);
  });

  it('of a kubelet contain the time of renewal', () => {
    expect(renewalTime(claimsFor(order({ pod, expirationSeconds: 3607 })))).toBe(NOW + 3607);
  });
});

describe('the objects of a token', () => {
  const own = { kind: 'ServiceAccount', namespace: 'default', ...account };
  it.each<[string, Partial<TokenOptions>, readonly object[]]>([
    ['its account alone', {}, []],
    ['its pod, but not the node of it', { pod, node }, [{ kind: 'Pod', namespace: 'default', ...pod }]],
    ['its secret', { secret }, [{ kind: 'Secret', namespace: 'default', ...secret }]],
    ['its node', { node }, [{ kind: 'Node', namespace: '', ...node }]],
  ])('%s', (_, more, expected) => {
    expect(boundTo(claimsFor(order(more)))).toEqual([own, ...expected]);
  });
});

it('userOfClaims contains the bound objects', () => {
  expect(userOfClaims(claimsFor(order({ pod, node: { name: 'n9' } })))).toEqual({
    name: 'system:serviceaccount:default:robot',
    uid: 'ee326a23',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:default'],
    extra: {
      'authentication.kubernetes.io/credential-id': ['JTI=46dcfa2e'],
      'authentication.kubernetes.io/node-name': ['n9'],
      'authentication.kubernetes.io/pod-name': ['p'],
      'authentication.kubernetes.io/pod-uid': ['a7026af7'],
    },
  });
});
