/**
 * The token of machines that join, which kube-controller-manager writes on a real cluster. The account, its rights and the Secret are
 * in `manifests/rbac-server.yaml`; from the Secret the machine config server takes the token.
 */
import { BOOTSTRAP_ACCOUNT, BOOTSTRAP_TOKEN_SECRET, NAMESPACE } from '../../../api/index.ts';
import { stringAt } from '../../../base/json-fields.ts';
import { base64Text } from '../../../base/text/index.ts';
import type { Kube } from '../../../kubernetes/client/index.ts';
import {
  secret as secretKind,
  serviceAccount as serviceAccountKind,
} from '../../../kubernetes/types/index.ts';

const TOKEN_SECONDS = 365 * 24 * 60 * 60;

/** Each start makes a new token, so that none of them expires while the cluster is in use. */
export async function writeBootstrapToken(kube: Kube, authorityPem: string): Promise<void> {
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { name: BOOTSTRAP_ACCOUNT, namespace: NAMESPACE },
    spec: { expirationSeconds: TOKEN_SECONDS },
  };
  const token = stringAt(
    await kube.create(serviceAccountKind, request, { subresource: 'token' }),
    'status',
    'token',
  );
  const data = { token: base64(token), 'ca.crt': base64(authorityPem), namespace: base64(NAMESPACE) };
  // Not applied: what installs the manifests again would take the data away.
  const place = { name: BOOTSTRAP_TOKEN_SECRET, namespace: NAMESPACE };
  await kube.patch(secretKind, place, { type: 'merge', body: { data } });
}

function base64(text: string): string {
  return base64Text(new TextEncoder().encode(text));
}
