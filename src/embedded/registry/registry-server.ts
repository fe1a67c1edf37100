/**
 * An OCI registry: handles requests of the distribution specification over a store.
 *
 *     request ──> route ──> authorize ──> blobs · uploads · manifests · lists ──> response
 */
import type { Env } from '../../base/env.ts';
import { type Collected, collectGarbage, type GarbageOptions } from './collect-garbage.ts';
import type { Authorizer, RegistryAction } from './registry-access.ts';
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
  /** Default: everything is allowed. */
  readonly authorizer?: Authorizer;
  readonly limits?: Partial<RegistryServerLimits>;
};

export interface Registry {
  readonly handle: RegistryHandler;
  collectGarbage(options?: GarbageOptions): Promise<Collected>;
}

export function createRegistry(options: RegistryOptions): Registry {
  return new StoreRegistry(options);
}

/** Methods and handlers by route. */
const METHODS: { readonly [kind in Route['kind']]?: { readonly [method: string]: RegistryAction } } = {
  base: { GET: 'pull', HEAD: 'pull' },
  catalog: { GET: 'pull' },
  tags: { GET: 'pull' },
  manifest: { DELETE: 'delete', GET: 'pull', HEAD: 'pull', PUT: 'push' },
  blob: { DELETE: 'delete', GET: 'pull', HEAD: 'pull' },
  uploads: { POST: 'push' },
  upload: { DELETE: 'push', GET: 'push', HEAD: 'push', PATCH: 'push', PUT: 'push' },
  referrers: { GET: 'pull' },
};

class StoreRegistry implements Registry {
  readonly #options: RegistryOptions;
  readonly #parts: RegistryParts;
  readonly #uploads: RegistryUploads;

  constructor(options: RegistryOptions) {
    this.#options = options;
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
    const action = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined;
    if (action === undefined) {
      return refused('UNSUPPORTED', { headers: { allow: Object.keys(methods).join(', ') } });
    }
    const name = 'name' in route ? route.name : undefined;
    return (await this.#refusal(request, action, name)) ?? (await this.#act(route, request));
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
        return await this.#uploads.begin(route.name, request, async (from) => {
          return (await this.#refusal(request, 'pull', from)) === undefined;
        });
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

  async #refusal(
    { headers }: RegistryRequest,
    action: RegistryAction,
    repository: string | undefined,
  ): Promise<RegistryResponse | undefined> {
    const { authorizer } = this.#options;
    if (authorizer === undefined) return undefined;
    const { authorization } = headers;
    const access =
      repository === undefined ? { authorization, action } : { authorization, action, repository };
    const verdict = await authorizer.authorize(access);
    if (verdict === 'allowed') return undefined;
    const detail =
      repository === undefined ? null : [{ Type: 'repository', Class: '', Name: repository, Action: action }];
    if (verdict === 'denied') return refused('DENIED', { detail });
    return refused('UNAUTHORIZED', { detail, headers: { 'www-authenticate': authorizer.challenge } });
  }
}
