/**
 * An OCI registry: handles requests of the distribution specification over a store.
 *
 *     request ──> route ──> blobs · uploads · manifests · lists ──> response
 */
import type { Env } from '../../base/env.ts';
import { type Collected, collectGarbage, type GarbageOptions } from './collect-garbage.ts';
import { answer, answerJson, refused, withoutBody } from './registry-answers.ts';
import { answerBlob, deleteBlob } from './registry-blobs.ts';
import type { RegistryHandler, RegistryRequest, RegistryResponse } from './registry-http.ts';
import { answerCatalog, answerReferrers, answerTags } from './registry-lists.ts';
import { answerManifest, deleteManifest, putManifest } from './registry-manifests.ts';
import { DEFAULT_SERVER_LIMITS, type RegistryParts, type RegistryServerLimits } from './registry-part.ts';
import { type Route, routeOf } from './registry-route.ts';
import type { RegistryStore } from './registry-store.ts';
import { RegistryUploads } from './registry-uploads.ts';
import { Repositories } from './repositories.ts';
import { SharedLock } from './shared-lock.ts';

export type RegistryOptions = {
  readonly store: RegistryStore;
  readonly env: Pick<Env, 'clock' | 'random'>;
  readonly limits?: Partial<RegistryServerLimits>;
};

export interface Registry {
  readonly handle: RegistryHandler;
  collectGarbage(options?: GarbageOptions): Promise<Collected>;
}

export function createRegistry(options: RegistryOptions): Registry {
  return new StoreRegistry(options);
}

/** Allowed methods by route. */
const METHODS: { readonly [kind in Route['kind']]?: readonly string[] } = {
  base: ['GET', 'HEAD'],
  catalog: ['GET'],
  tags: ['GET'],
  manifest: ['DELETE', 'GET', 'HEAD', 'PUT'],
  blob: ['DELETE', 'GET', 'HEAD'],
  uploads: ['POST'],
  upload: ['DELETE', 'GET', 'HEAD', 'PATCH', 'PUT'],
  referrers: ['GET'],
};

class StoreRegistry implements Registry {
  readonly #parts: RegistryParts;
  readonly #uploads: RegistryUploads;

  constructor(options: RegistryOptions) {
    const { store, env } = options;
    const limits = { ...DEFAULT_SERVER_LIMITS, ...options.limits };
    this.#parts = { store, env, limits, repositories: new Repositories(store), lock: new SharedLock() };
    this.#uploads = new RegistryUploads(this.#parts);
  }

  readonly handle = async (request: RegistryRequest): Promise<RegistryResponse> => {
    const response = await this.#answer(request);
    return request.method === 'HEAD' ? withoutBody(response) : response;
  };

  collectGarbage(options?: GarbageOptions): Promise<Collected> {
    return collectGarbage(this.#parts, options);
  }

  async #answer(request: RegistryRequest): Promise<RegistryResponse> {
    const route = routeOf(request.path);
    if (route.kind === 'moved') return answer(301, { location: '/v2/' });
    if (route.kind === 'badName')
      return refused('NAME_INVALID', { detail: { name: route.name.slice(0, 300) } });
    const methods = METHODS[route.kind];
    if (methods === undefined) return refused('UNSUPPORTED', { status: 404 });
    if (!methods.includes(request.method)) {
      return refused('UNSUPPORTED', { headers: { allow: methods.join(', ') } });
    }
    return await this.#act(route, request);
  }

  async #act(route: Route, request: RegistryRequest): Promise<RegistryResponse> {
    const parts = this.#parts;
    switch (route.kind) {
      case 'base':
        return answerJson({});
      case 'catalog':
        return await answerCatalog(parts, request);
      case 'tags':
        return await answerTags(parts, route.name, request);
      case 'referrers':
        return await answerReferrers(parts, route, request);
      case 'blob':
        return await (request.method === 'DELETE'
          ? deleteBlob(parts, route)
          : answerBlob(parts, route, request));
      case 'manifest':
        if (request.method === 'PUT') return await putManifest(parts, route, request);
        return await (request.method === 'DELETE'
          ? deleteManifest(parts, route)
          : answerManifest(parts, route));
      case 'uploads':
        return await this.#uploads.begin(route.name, request);
      case 'upload':
        if (request.method === 'PATCH') return await this.#uploads.append(route, request);
        if (request.method === 'PUT') return await this.#uploads.finish(route, request);
        return await (request.method === 'DELETE'
          ? this.#uploads.cancel(route)
          : this.#uploads.status(route));
      case 'badName':
      case 'moved':
      case 'none':
        return refused('UNSUPPORTED', { status: 404 });
    }
  }
}
