/** The tokens that a cluster gives to our components, asked for as a kubelet does. */

import { isObject, own } from '../../src/base/json.ts';
import type { Kube, Transport } from '../../src/kubernetes/client/index.ts';
import {
  daemonSet as daemonSetKind,
  type Pod,
  pod as podKind,
  tokenRequest as tokenRequestKind,
} from '../../src/kubernetes/types/index.ts';

const NAMESPACE = 'openshift-machine-config-operator';
const DAEMON = 'machine-config-daemon';

/** A token of an account; bound to a pod, and so to its node, where one is given. */
export async function tokenOf(transport: Transport, account: string, pod?: Pod): Promise<string> {
  const boundObjectRef =
    pod === undefined
      ? {}
      : {
          boundObjectRef: {
            ...{ apiVersion: 'v1', kind: podKind.kind },
            ...{ name: pod.metadata.name, uid: pod.metadata.uid },
          },
        };
  const request = {
    ...{ apiVersion: 'authentication.k8s.io/v1', kind: tokenRequestKind.kind },
    spec: boundObjectRef,
  };
  const response = await transport.send({
    ...{ method: 'POST', query: '', headers: { 'content-type': 'application/json' } },
    path: `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${account}/token`,
    body: new TextEncoder().encode(JSON.stringify(request)),
  });
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of response.body) text += decoder.decode(piece, { stream: true });
  const answer: unknown = JSON.parse(text);
  const status = isObject(answer) ? own(answer, 'status') : undefined;
  const token = isObject(status) ? own(status, 'token') : undefined;
  if (typeof token !== 'string') throw new Error(`no token of ${account}: ${text}`);
  return token;
}

/** The pods that stand for the daemons, one on each node. Gives their tokens, by node. */
export async function createDaemonPods(
  { kube, transport }: { readonly kube: Kube; readonly transport: Transport },
  nodes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const labels = { 'k8s-app': DAEMON };
  const spec = { serviceAccountName: DAEMON, containers: [{ name: DAEMON, image: 'millwright' }] };
  const daemonSet = {
    ...{ apiVersion: 'apps/v1', kind: daemonSetKind.kind },
    metadata: { name: DAEMON, namespace: NAMESPACE },
    spec: {
      ...{ selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
      // The DaemonSet controller must not replace these pods: their tokens would become invalid.
      updateStrategy: { type: 'OnDelete' },
    },
  };
  const { apiVersion = '', kind = '', metadata } = await kube.apply(daemonSetKind, daemonSet);
  const owner = { apiVersion, kind, name: DAEMON, uid: metadata.uid ?? '', controller: true };
  const tokens = new Map<string, string>();
  for (const nodeName of nodes) {
    const name = `${DAEMON}-${nodeName}`;
    const pod = await kube.create(podKind, {
      ...{ apiVersion: 'v1', kind: podKind.kind },
      metadata: { name, namespace: NAMESPACE, labels, ownerReferences: [owner] },
      spec: { ...spec, nodeName, tolerations: [{ operator: 'Exists' as const }] },
    });
    tokens.set(nodeName, await tokenOf(transport, DAEMON, pod));
  }
  return tokens;
}
