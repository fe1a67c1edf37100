/**
 * The claims of service account tokens: subject, audience, lifetime and bound object, as in Kubernetes 1.33, in the
 * same order.
 */
import type { User } from '../../rbac/index.ts';

/** The issuer, and the audience of tokens for the server itself. */
export const TOKEN_ISSUER = 'https://kubernetes.default.svc';

export type TokenClaims = {
  readonly aud: readonly string[];
  /** Times are in seconds since 1970. */
  readonly exp: number;
  readonly iat: number;
  readonly iss: string;
  readonly jti: string;
  readonly 'kubernetes.io': {
    readonly namespace: string;
    /** With a pod it is the pod's node, without a UID if that node does not exist. */
    readonly node?: TokenRef;
    readonly pod?: TokenRef;
    readonly secret?: TokenRef;
    readonly serviceaccount: Required<TokenRef>;
    /** When the token should be renewed, if its lifetime was extended. */
    readonly warnafter?: number;
  };
  readonly nbf: number;
  readonly sub: string;
};

export type TokenRef = { readonly name: string; readonly uid?: string };

export type TokenOptions = {
  readonly namespace: string;
  readonly serviceAccount: { readonly name: string; readonly uid: string };
  /** Empty for the server itself. */
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  /** The bound object: one of them, or a pod with its node. */
  readonly pod?: TokenRef;
  readonly node?: TokenRef;
  readonly secret?: TokenRef;
  /** Random and unique. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly now: number;
};

/** The lifetime that kubelets request for pods whose clients may not reload tokens. */
const WARN_ONLY_SECONDS = 3607;
/** Extended to a year. */
const EXTENDED_SECONDS = 365 * 24 * 60 * 60;

export function claimsFor(order: TokenOptions): TokenClaims {
  const { namespace, serviceAccount, expirationSeconds, pod, node, secret, id, now } = order;
  const audiences = order.audiences.length === 0 ? [TOKEN_ISSUER] : order.audiences;
  const iat = Math.floor(now / 1000);
  const isExtended =
    pod !== undefined &&
    expirationSeconds === WARN_ONLY_SECONDS &&
    audiences.every((audience) => audience === TOKEN_ISSUER);
  return {
    aud: audiences,
    exp: iat + (isExtended ? EXTENDED_SECONDS : expirationSeconds),
    iat,
    iss: TOKEN_ISSUER,
    jti: id,
    'kubernetes.io': {
      namespace,
      ...(node !== undefined && { node }),
      ...(pod !== undefined && { pod }),
      ...(secret !== undefined && { secret }),
      serviceaccount: serviceAccount,
      ...(isExtended && { warnafter: iat + expirationSeconds }),
    },
    nbf: iat,
    sub: userName(namespace, serviceAccount.name),
  };
}

/**
 * When the client should renew the token, in seconds since 1970: the expiration in the response of a TokenRequest.
 */
export function renewalTime(claims: TokenClaims): number {
  return claims['kubernetes.io'].warnafter ?? claims.exp;
}

export type Binding = {
  readonly kind: 'ServiceAccount' | 'Pod' | 'Secret' | 'Node';
  /** Empty for a node. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
};

/** The objects that must still exist, with the same UID. */
export function boundTo(claims: TokenClaims): readonly Binding[] {
  const { namespace, node, pod, secret, serviceaccount } = claims['kubernetes.io'];
  const account: Binding = { kind: 'ServiceAccount', namespace, ...serviceaccount };
  if (pod !== undefined) return [account, { kind: 'Pod', namespace, name: pod.name, uid: pod.uid ?? '' }];
  if (secret !== undefined) {
    return [account, { kind: 'Secret', namespace, name: secret.name, uid: secret.uid ?? '' }];
  }
  if (node !== undefined) {
    return [account, { kind: 'Node', namespace: '', name: node.name, uid: node.uid ?? '' }];
  }
  return [account];
}

/** The user of the token, without the group `system:authenticated`. */
export function userOfClaims(claims: TokenClaims): User {
  const { namespace, node, pod, serviceaccount } = claims['kubernetes.io'];
  const extra = (key: string, value: string | undefined) =>
    value === undefined ? {} : { [`authentication.kubernetes.io/${key}`]: [value] };
  return {
    name: userName(namespace, serviceaccount.name),
    uid: serviceaccount.uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
    extra: {
      ...extra('credential-id', `JTI=${claims.jti}`),
      ...extra('node-name', node?.name),
      ...extra('node-uid', node?.uid),
      ...extra('pod-name', pod?.name),
      ...extra('pod-uid', pod?.uid),
    },
  };
}

function userName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}
