/**
 * One request on its way through the server, and the world it works on.
 */

import type { Env } from '../../base/env.ts';
import type { JsonObject } from '../../base/json.ts';
import { formatTimestamp } from '../../base/text/index.ts';
import type { User } from '../rbac/index.ts';
import type { Resource, WriteContext } from '../resources/index.ts';
import type { Gate } from './admission.ts';
import type { Catalog } from './catalog.ts';
import type { Request } from './http/http.ts';
import type { Form } from './negotiation.ts';
import type { ResourceInfo } from './request-info.ts';
import { allObjects } from './store/records.ts';
import type { Store } from './store/store.ts';
import type { Kubelet } from './subresources/kubelet.ts';
import type { Query } from './verbs/query-options.ts';

/** What all requests share. */
export type World = {
  readonly store: Store;
  readonly env: Pick<Env, 'clock' | 'random' | 'log'>;
  /** What is served now. */
  readonly catalog: Catalog;
  /** Who may write what beyond their rights: lifecycle of namespaces, escalation, policies. */
  readonly gate: Gate;
  /** How to reach the nodes; absent: nobody answers there. */
  readonly kubelet: Kubelet | undefined;
};

export type Call = {
  readonly request: Request;
  readonly info: ResourceInfo;
  readonly query: Query;
  readonly user: User;
  readonly resource: Resource;
  readonly form: Form;
  /** Grows on the way: what the client is to be warned of. */
  readonly warnings: string[];
};

/** RFC 3339 in whole seconds, as all times of objects. */
export function nowText({ env }: Pick<World, 'env'>): string {
  return formatTimestamp(env.clock.now());
}

export function writeContext(world: World, resource: Resource): WriteContext {
  return {
    now: nowText(world),
    random: () => world.env.random.next(),
    others: (): Iterable<JsonObject> => allObjects(world.store, resource, ''),
  };
}
