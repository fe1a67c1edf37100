/**
 * Answers the requests of joining machines, from caches of the cluster.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import {
  BOOTSTRAP_TOKEN_SECRET,
  type ControllerConfig,
  controllerConfig as controllerConfigKind,
  type MachineConfigPool,
  type MachineOSBuild,
  type MachineOSConfig,
  machineConfig as machineConfigKind,
  machineConfigPool as machineConfigPoolKind,
  machineOSBuild as machineOSBuildKind,
  machineOSConfig as machineOSConfigKind,
  SERVER_TOKEN_SECRET,
} from '../api/index.ts';
import type { Env } from '../base/env.ts';
import { formatProblem } from '../base/errors.ts';
import { stringAt } from '../base/json-fields.ts';
import { base64Bytes } from '../base/text/index.ts';
import type { TargetVersion } from '../config/ignition/index.ts';
import {
  type BootstrapAccess,
  type JoinSnapshot,
  negotiateVersion,
  servedConfig,
  servedConfigName,
} from '../joining/index.ts';
import type { AnyObject, Cache, Caches, Kube } from '../kubernetes/client/index.ts';
import { type Secret, secret as secretKind } from '../kubernetes/types/index.ts';
import { type AccessRules, refusalOf } from './access.ts';
import { AnswerCache } from './answer-cache.ts';
import { type ConfigRequest, type ConfigResponse, refusal, TRY_LATER } from './request.ts';
import { routeOf } from './routes.ts';
import { SourceLimiter } from './source-limiter.ts';

export type ServerSettings = {
  readonly namespace: string;
  /** By which new nodes reach the API server; where it is absent, that of the ControllerConfig. */
  readonly apiServerUrl?: string;
  readonly access: AccessRules;
  /** Registries with the name of a Service that machines reach all the same. */
  readonly reachableRegistries?: readonly string[];
};

type ServerContext = {
  readonly kube: Kube;
  readonly caches: Caches;
  readonly env: Pick<Env, 'clock' | 'log'>;
  readonly settings: ServerSettings;
};

export type ConfigServer = {
  /** Never rejects. */
  readonly answer: (request: ConfigRequest) => Promise<ConfigResponse>;
  /** What it answers from. */
  readonly caches: readonly Cache<AnyObject>[];
};

/** A machine asks once, and again every few seconds while it gets no config. */
const SOURCE_RATE = { burst: 30, perSecond: 5 };
/** Answers under way, most of which wait for the API server. */
const MAX_CONCURRENT = 64;
const QUIET_MS = 10_000;

export function createConfigServer(context: ServerContext): ConfigServer {
  return new CachedConfigServer(context);
}

class CachedConfigServer implements ConfigServer {
  readonly caches: readonly Cache<AnyObject>[];
  readonly #context: ServerContext;
  readonly #sources: Sources;
  readonly #limiter = new SourceLimiter(SOURCE_RATE);
  readonly #answers = new AnswerCache<ConfigResponse>();
  #underWay = 0;
  #quietUntilMs = 0;

  constructor(context: ServerContext) {
    this.#context = context;
    this.#sources = sourcesOf(context);
    this.caches = Object.values(this.#sources) as unknown as readonly Cache<AnyObject>[];
  }

  readonly answer = async (request: ConfigRequest): Promise<ConfigResponse> => {
    const route = routeOf(request);
    if (route.kind === 'health') return { status: 200, headers: {} };
    if (route.kind === 'error') return refusal(route.status);
    const { settings, env } = this.#context;
    const { authorization, source } = request;
    const refused = refusalOf(settings.access, { source, authorization, token: route.token }, this.#tokens());
    if (refused !== undefined) {
      const why = refused === 401 ? 'no valid token' : 'its address is in no allowed range';
      return this.#refuse(request, refused, why);
    }
    if (!this.#limiter.admit(source, env.clock.monotonic())) {
      return this.#refuse(request, TRY_LATER.status, 'too many requests from its address');
    }
    if (this.#underWay >= MAX_CONCURRENT) {
      return this.#refuse(request, TRY_LATER.status, 'too many requests at once');
    }
    this.#underWay++;
    try {
      const response = await this.#configFor(route.pool, request);
      return request.method === 'HEAD' ? withoutBody(response) : response;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return this.#refuse(request, TRY_LATER.status, why);
    } finally {
      this.#underWay--;
    }
  };

  async #configFor(name: string, request: ConfigRequest): Promise<ConfigResponse> {
    const pool = this.#sources.pools.get({ name });
    if (pool === undefined) return this.#refuse(request, 404, `there is no pool ${name}`);
    const negotiated = negotiateVersion(request.accept);
    if (negotiated.kind === 'unsupported') return this.#refuse(request, 400, negotiated.message);
    const { version } = negotiated;
    const config = servedConfigName(pool);
    const bootstrap = this.#bootstrap();
    if (config === '') return this.#refuse(request, TRY_LATER.status, `pool ${name} has no config yet`);
    if (typeof bootstrap === 'string') return this.#refuse(request, TRY_LATER.status, bootstrap);
    const { clock, log } = this.#context.env;
    const key = this.#keyOf(pool, config, bootstrap, version);
    const response = await this.#answers.get(key, clock.monotonic(), () =>
      this.#encode({ pool, bootstrap }, config, version),
    );
    const { userAgent, source } = request;
    if (response.status === 200)
      log.info('Serving config', { pool: name, config, version, source, userAgent });
    return response;
  }

  async #encode(
    given: Pick<JoinSnapshot, 'pool' | 'bootstrap'>,
    name: string,
    version: TargetVersion,
  ): Promise<ConfigResponse> {
    const { kube, env, settings } = this.#context;
    const controllerConfig = this.#controllerConfig();
    const config = await kube.get(machineConfigKind, { name });
    if (config === undefined || controllerConfig === undefined) {
      throw new Error(
        `${config === undefined ? `MachineConfig ${name}` : 'the ControllerConfig'} does not exist`,
      );
    }
    const { osConfigs, osBuilds } = this.#sources;
    const outcome = servedConfig(
      {
        ...given,
        config,
        controllerConfig: controllerConfig.spec,
        osConfigs: [...osConfigs.all()],
        osBuilds: [...osBuilds.all()],
        reachableRegistries: settings.reachableRegistries ?? [],
      },
      version,
    );
    if (outcome.kind === 'invalid') {
      const problem = outcome.problems.map(formatProblem).join('; ');
      env.log.error('A config cannot be served', { config: name, version, problem });
      return refusal(500);
    }
    const body = new TextEncoder().encode(outcome.value);
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
    return { status: 200, headers, body };
  }

  /** Everything that an answer depends on. */
  #keyOf(
    pool: MachineConfigPool,
    config: string,
    bootstrap: BootstrapAccess,
    version: TargetVersion,
  ): string {
    const { osConfigs, osBuilds } = this.#sources;
    const versions = [this.#controllerConfig(), ...osConfigs.all(), ...osBuilds.all()].map(
      (object) => `${object?.metadata.uid}/${object?.metadata.resourceVersion}`,
    );
    const { name, uid } = pool.metadata;
    const isUpdated = (pool.status?.updatedMachineCount ?? 0) > 0;
    const parts = [name, uid, config, version, isUpdated, ...Object.values(bootstrap), ...versions];
    // A digest, so that no token is kept in a key.
    return bytesToHex(sha256(new TextEncoder().encode(JSON.stringify(parts))));
  }

  #controllerConfig(): ControllerConfig | undefined {
    const [found] = this.#sources.controllerConfigs.all();
    return found;
  }

  /** Or what is missing. */
  #bootstrap(): BootstrapAccess | string {
    const [secret] = this.#sources.bootstrapTokens.all();
    const token = secretText(secret, 'token');
    if (token === '') return `Secret ${BOOTSTRAP_TOKEN_SECRET} has no token yet`;
    const internal = stringAt(this.#controllerConfig()?.spec.infra, 'status', 'apiServerInternalURI');
    const server = this.#context.settings.apiServerUrl ?? internal;
    if (server === '') {
      return 'the URL of the API server for new nodes is not known: give it with --apiserver-url';
    }
    // That of the ControllerConfig: the daemon would replace another one, and restart the new kubelet.
    const followed = textOfBytes(this.#controllerConfig()?.spec.rootCAData);
    return { server, authorityPem: followed || secretText(secret, 'ca.crt'), token };
  }

  /** Who has the token of the cluster has no use for another one. */
  #tokens(): readonly string[] {
    return [...this.#sources.serverTokens.all(), ...this.#sources.bootstrapTokens.all()].map((secret) =>
      secretText(secret, 'token'),
    );
  }

  /** A client that is refused sends more requests than anybody reads about. */
  #refuse(request: ConfigRequest, status: number, why: string): ConfigResponse {
    const { clock, log } = this.#context.env;
    const nowMs = clock.monotonic();
    if (nowMs >= this.#quietUntilMs) {
      this.#quietUntilMs = nowMs + QUIET_MS;
      const [path] = request.target.split('?', 1);
      log.warn('Refused a request; others of the next seconds are not logged', {
        status,
        why,
        source: request.source,
        path,
      });
    }
    return status === TRY_LATER.status ? TRY_LATER : refusal(status, status === 401 ? CHALLENGE : {});
  }
}

const CHALLENGE = { 'www-authenticate': 'Bearer' };

type Sources = {
  readonly pools: Cache<MachineConfigPool>;
  readonly controllerConfigs: Cache<ControllerConfig>;
  readonly osConfigs: Cache<MachineOSConfig>;
  readonly osBuilds: Cache<MachineOSBuild>;
  readonly bootstrapTokens: Cache<Secret>;
  readonly serverTokens: Cache<Secret>;
};

/** Of Secrets, single ones: it may read no others. */
function sourcesOf({ caches, settings: { namespace } }: ServerContext): Sources {
  const named = (name: string) => ({ namespace, fieldSelector: `metadata.name=${name}` });
  return {
    pools: caches.of(machineConfigPoolKind),
    controllerConfigs: caches.of(controllerConfigKind),
    osConfigs: caches.of(machineOSConfigKind),
    osBuilds: caches.of(machineOSBuildKind),
    bootstrapTokens: caches.of(secretKind, named(BOOTSTRAP_TOKEN_SECRET)),
    serverTokens: caches.of(secretKind, named(SERVER_TOKEN_SECRET)),
  };
}

function secretText(secret: Secret | undefined, key: string): string {
  return textOfBytes(secret?.data?.[key]);
}

/** Of base64; empty where there is none. */
function textOfBytes(base64: string | null | undefined): string {
  return new TextDecoder().decode(base64Bytes(base64 ?? '') ?? new Uint8Array()).trim();
}

function withoutBody({ status, headers }: ConfigResponse): ConfigResponse {
  return { status, headers };
}
