/** What all requests share. */

import type { Env } from '../../base/env.ts';
import type { JsonObject } from '../../base/json.ts';
import { formatTimestamp } from '../../base/text/index.ts';
import type { Resource, WriteContext } from '../resources/index.ts';
import type { AdmissionChain } from './admission.ts';
import type { Catalog } from './catalog.ts';
import { allObjects } from './store/records.ts';
import type { Store } from './store/store.ts';
import type { Kubelet } from './subresources/kubelet.ts';

export type ServerContext = {
  readonly store: Store;
  readonly env: Pick<Env, 'clock' | 'random' | 'log'>;
  readonly catalog: Catalog;
  readonly admission: AdmissionChain;
  /** The client of the kubelets; absent if no node can be reached. */
  readonly kubelet: Kubelet | undefined;
};

/** RFC 3339 in whole seconds, as in all objects. */
export function nowText({ env }: Pick<ServerContext, 'env'>): string {
  return formatTimestamp(env.clock.now());
}

export function writeContext(server: ServerContext, resource: Resource): WriteContext {
  return {
    now: nowText(server),
    random: () => server.env.random.next(),
    others: (): Iterable<JsonObject> => allObjects(server.store, resource, ''),
  };
}
