/**
 * Reads a snapshot of a live cluster, list by list, with GET requests alone. A command says which lists it needs
 * (`doctor/doctor-sources.ts`, `plan/plan-sources.ts`, `doctor/dump-kinds.ts`); what an answer means is decided here:
 *
 *     not served (404)       there are no objects of the kind
 *     forbidden (403)        the kind is noted as unread; an error where the command can say nothing without it
 *     anything else          an error
 */
import { objectsAt } from '../../base/json-fields.ts';
import {
  type ClusterSnapshot,
  clusterSnapshot,
  kindKey,
  type Need,
  type SnapshotObject,
} from '../../insight/index.ts';
import { collectionPath, KubeError } from '../../kubernetes/client/index.ts';
import { apiVersionOf, nameOf } from '../../kubernetes/meta/index.ts';
import type { ClusterSession } from '../objects/cluster-session.ts';

/** One list, which is one request. */
export type Listing = Need & {
  /** Without spec and status. */
  readonly isMetadataOnly?: true;
  /** The command can say nothing without it: a refusal is an error. */
  readonly isRequired?: true;
};

const ACCEPT_METADATA = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
const NOT_FOUND = 404;
const FORBIDDEN = 403;
/** A state of the cluster may call for a list of each of many namespaces. */
const MAX_REQUESTS_AT_ONCE = 20;

export class ClusterReader {
  readonly #session: ClusterSession;
  readonly #objects = new Map<string, SnapshotObject>();
  readonly #kinds = new Set<string>();
  readonly #unserved = new Set<string>();
  readonly #unread = new Set<string>();
  #nowMs: number;

  constructor(session: ClusterSession) {
    this.#session = session;
    this.#nowMs = session.clock.now();
  }

  /** Adds to what was read before. Throws as the session does, but for what is not served or not allowed. */
  async read(listings: readonly Listing[]): Promise<void> {
    const queue = listings.values();
    const worker = async () => {
      for (const listing of queue) await this.#add(listing);
    };
    await Promise.all(Array.from({ length: Math.min(MAX_REQUESTS_AT_ONCE, listings.length) }, worker));
  }

  isServed(kind: Need['kind']): boolean {
    return !this.#unserved.has(kindKey(kind));
  }

  /** Plurals of kinds that the user may not list. */
  unread(): readonly string[] {
    return [...this.#unread].sort();
  }

  /** What was read so far, at the time of the server. */
  snapshot(): ClusterSnapshot {
    return clusterSnapshot({ nowMs: this.#nowMs, objects: this.#objects.values(), kinds: this.#kinds });
  }

  async #add(listing: Listing): Promise<void> {
    const { kind, namespace, labelSelector, fieldSelector, isMetadataOnly } = listing;
    try {
      const { body, date } = await this.#session.request({
        path: collectionPath(kind, namespace),
        query: { labelSelector, fieldSelector },
        ...(isMetadataOnly && { accept: ACCEPT_METADATA }),
      });
      // Ages are differences to times of the server, whose clock may differ from ours.
      const dateMs = Date.parse(date ?? '');
      if (!Number.isNaN(dateMs)) this.#nowMs = dateMs;
      this.#keep(kind, objectsAt(body, 'items'));
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      this.#note(listing, error);
    }
  }

  #keep(kind: Need['kind'], items: readonly { readonly [key: string]: unknown }[]): void {
    // Items of a list do not name their kind.
    const type = { apiVersion: apiVersionOf(kind), kind: kind.kind };
    for (const item of items) {
      if (nameOf(item) === '') continue;
      // The server has validated it.
      const object = { ...type, ...item, ...type } as unknown as SnapshotObject;
      this.#objects.set(`${kindKey(kind)}/${object.metadata.namespace ?? ''}/${nameOf(item)}`, object);
    }
    this.#kinds.add(kindKey(kind));
  }

  #note({ kind, isRequired }: Listing, error: KubeError): void {
    if (error.code === FORBIDDEN && isRequired === undefined) {
      this.#unread.add(kind.plural);
      return;
    }
    if (error.code !== NOT_FOUND) throw error;
    this.#unserved.add(kindKey(kind));
    this.#kinds.add(kindKey(kind));
  }
}
