/** Creates the default objects of every namespace: ServiceAccount `default` and the CA bundle `kube-root-ca.crt`. */

import { jsonEqual } from '../../base/json.ts';
import {
  type AnyObject,
  type Change,
  type Controller,
  done,
  type Next,
} from '../../kubernetes/client/index.ts';
import {
  type ConfigMap,
  configMap,
  type Namespace,
  namespace,
  serviceAccount,
} from '../../kubernetes/types/index.ts';
import type { WorkloadContext } from './workload-context.ts';
import { carryOut, create, update, type Write } from './writes.ts';

const ACCOUNT = 'default';
const BUNDLE = 'kube-root-ca.crt';
const DESCRIPTION = 'kubernetes.io/description';

export function createNamespaceDefaultsController({ kube, caches, settings }: WorkloadContext): Controller {
  const namespaces = caches.of(namespace);
  // Only objects of these names are cached.
  const accounts = caches.of(serviceAccount, { fieldSelector: `metadata.name=${ACCOUNT}` });
  const bundles = caches.of(configMap, { fieldSelector: `metadata.name=${BUNDLE}` });

  async function reconcile(name: string): Promise<Next> {
    const writes = namespaceDefaults({
      namespace: namespaces.get({ name }),
      hasAccount: accounts.get({ namespace: name, name: ACCOUNT }) !== undefined,
      bundle: bundles.get({ namespace: name, name: BUNDLE }),
      authorityPem: settings.authorityPem,
    });
    for (const write of writes) await carryOut(kube, write);
    return done;
  }

  return {
    name: 'namespace-defaults',
    workers: 2,
    caches: [namespaces, accounts, bundles],
    watch: (enqueue) => {
      namespaces.onChange(({ after }) => {
        if (after !== undefined) enqueue(after.metadata.name);
      });
      const enqueueOf = ({ before, after }: Change<AnyObject>): void =>
        enqueue((after ?? before)?.metadata.namespace ?? '');
      accounts.onChange(enqueueOf);
      bundles.onChange(enqueueOf);
    },
    reconcile,
  };
}

export type NamespaceSnapshot = {
  readonly namespace: Namespace | undefined;
  readonly hasAccount: boolean;
  readonly bundle: ConfigMap | undefined;
  readonly authorityPem: string;
};

export function namespaceDefaults({
  namespace: one,
  hasAccount,
  bundle,
  authorityPem,
}: NamespaceSnapshot): readonly Write[] {
  const isActive = one?.status?.phase !== 'Terminating' && one?.metadata.deletionTimestamp === undefined;
  if (one === undefined || !isActive) return [];
  const { name } = one.metadata;
  const account = {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: ACCOUNT, namespace: name },
  };
  return [
    ...(hasAccount ? [] : [create(serviceAccount, account)]),
    ...bundleWrites(name, bundle, authorityPem),
  ];
}

function bundleWrites(
  namespace: string,
  bundle: ConfigMap | undefined,
  authorityPem: string,
): readonly Write[] {
  const data = { 'ca.crt': authorityPem };
  const annotations = { [DESCRIPTION]: BUNDLE_DESCRIPTION };
  if (bundle === undefined) {
    const metadata = { name: BUNDLE, namespace, annotations };
    return [create(configMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data })];
  }
  const isDescribed = (bundle.metadata.annotations?.[DESCRIPTION] ?? '') !== '';
  if (jsonEqual(bundle.data, data) && isDescribed) return [];
  const metadata = {
    ...bundle.metadata,
    annotations: { ...bundle.metadata.annotations, ...annotations },
  };
  return [update(configMap, { ...bundle, metadata, data })];
}

const BUNDLE_DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';
