/**
 * Ensures what the MachineConfigServer and the machines that join through it need: its CA and certificate, the token that machines
 * show, and for each pool the pointer Ignition as a Secret.
 *
 *     machine-config-server-ca      Secret and ConfigMap: the CA, which machines know from their pointer
 *     machine-config-server-tls     its certificate, for the names and addresses of the control plane
 *     machine-config-server-token   random
 *     POOL-user-data-managed        key userData
 *
 * The pointers are written and never read: an operator that could read the Secrets of its namespace would know the credentials of
 * builds. So they are written again from time to time, which changes nothing where they are as they should be.
 */
import {
  type ControllerConfig,
  controllerConfig as controllerConfigKind,
  type MachineConfigPool,
  machineConfigPool as machineConfigPoolKind,
  nodeRoleLabel,
  SERVER_CA,
  SERVER_TLS_SECRET,
  SERVER_TOKEN_SECRET,
} from '../../api/index.ts';
import { compareBytes } from '../../base/json.ts';
import { stringAt } from '../../base/json-fields.ts';
import { base64Bytes, base64Text, hostname, parseUrl } from '../../base/text/index.ts';
import {
  type CertificateIssuer,
  type PemPair,
  type ServerCertificates,
  serverCertificates,
} from '../../certificates/index.ts';
import { type PointerTarget, pointerConfig } from '../../joining/index.ts';
import { after, type Cache, type Controller, type Next } from '../../kubernetes/client/index.ts';
import { apiVersionOf } from '../../kubernetes/meta/index.ts';
import {
  type ConfigMap,
  configMap as configMapKind,
  type Node,
  type Secret,
  secret as secretKind,
} from '../../kubernetes/types/index.ts';
import type { Context } from '../context.ts';
import { nodesOf } from '../node-cache.ts';

export type ConfigServerOptions = {
  readonly issuer: CertificateIssuer;
  /** How machines reach the server. By default at the address of the API server for nodes, else at a control plane node. */
  readonly url?: string;
  /** Whether pointers carry the token. */
  readonly isTokenRequired: boolean;
};

export const SERVER_PORT = 22_623;
const ALL = 'all';
const REPEAT_MS = 10 * 60_000;

export function createServerSecretsController(context: Context, options: ConfigServerOptions): Controller {
  const sources = sourcesOf(context);
  return {
    name: 'server-secrets',
    workers: 1,
    caches: Object.values(sources) as Controller['caches'],
    watch(enqueue) {
      sources.nodes.onChange(({ before, after: now }) => {
        if (hostsOfNode(before).join() !== hostsOfNode(now).join()) enqueue(ALL);
      });
      sources.pools.onChange(({ before, after: now }) => {
        // A pool changes with every node of a rollout; its pointer does not.
        if (before?.metadata.uid !== now?.metadata.uid) enqueue(ALL);
      });
      for (const cache of [sources.authorities, sources.certificates, sources.tokens]) {
        cache.onChange(() => enqueue(ALL));
      }
      sources.bundles.onChange(() => enqueue(ALL));
      sources.controllerConfigs.onChange(() => enqueue(ALL));
      enqueue(ALL);
    },
    reconcile: () => ensureAll(context, sources, options),
  };
}

type Sources = {
  readonly nodes: Cache<Node>;
  readonly pools: Cache<MachineConfigPool>;
  readonly controllerConfigs: Cache<ControllerConfig>;
  readonly authorities: Cache<Secret>;
  readonly certificates: Cache<Secret>;
  readonly tokens: Cache<Secret>;
  readonly bundles: Cache<ConfigMap>;
};

function sourcesOf({ caches, settings: { namespace } }: Context): Sources {
  const named = (name: string) => ({ namespace, fieldSelector: `metadata.name=${name}` });
  return {
    nodes: nodesOf(caches),
    pools: caches.of(machineConfigPoolKind),
    controllerConfigs: caches.of(controllerConfigKind),
    authorities: caches.of(secretKind, named(SERVER_CA)),
    certificates: caches.of(secretKind, named(SERVER_TLS_SECRET)),
    tokens: caches.of(secretKind, named(SERVER_TOKEN_SECRET)),
    bundles: caches.of(configMapKind, named(SERVER_CA)),
  };
}

async function ensureAll(context: Context, sources: Sources, options: ConfigServerOptions): Promise<Next> {
  const url = urlOf(sources, options);
  const issued = await ensureCertificates(context, sources, options, url);
  const token = await ensureToken(context, options);
  if (url === undefined) return after(REPEAT_MS, 'the pointers name no host yet');
  for (const pool of [...sources.pools.all()].toSorted(byName)) {
    await applyPointer(context, pool, {
      serverUrl: url,
      pool: pool.metadata.name,
      authorityPem: issued.authority.certPem,
      ...(options.isTokenRequired ? { token } : {}),
    });
  }
  return after(REPEAT_MS, 'the pointers are written again');
}

function byName(a: MachineConfigPool, b: MachineConfigPool): number {
  return compareBytes(a.metadata.name, b.metadata.name);
}

/** Of a pool that is deleted meanwhile, the garbage collector deletes the pointer. */
async function applyPointer(
  { kube, settings: { namespace } }: Context,
  { metadata: { name, uid = '' } }: MachineConfigPool,
  target: PointerTarget,
): Promise<void> {
  const secret = {
    apiVersion: 'v1',
    kind: secretKind.kind,
    metadata: {
      name: `${name}${POINTER_SUFFIX}`,
      namespace,
      ownerReferences: [
        { apiVersion: apiVersionOf(machineConfigPoolKind), kind: machineConfigPoolKind.kind, name, uid },
      ],
    },
    type: 'Opaque',
    data: { userData: base64(JSON.stringify(pointerConfig(target))), disableTemplating: base64('true') },
  };
  await kube.apply(secretKind, secret);
}

const POINTER_SUFFIX = '-user-data-managed';

async function ensureCertificates(
  context: Context,
  sources: Sources,
  { issuer }: ConfigServerOptions,
  url: string | undefined,
): Promise<ServerCertificates> {
  const { env, kube, settings } = context;
  const { namespace } = settings;
  // Not from the cache, which may lag behind an own write: another CA would make every pointer useless.
  const [authorities, certificates] = [
    await kube.get(secretKind, { name: SERVER_CA, namespace }),
    await kube.get(secretKind, { name: SERVER_TLS_SECRET, namespace }),
  ];
  const kept = { authority: pairOf(authorities), server: pairOf(certificates) };
  const hosts = [
    ...[...sources.nodes.all()].flatMap(hostsOfNode),
    `machine-config-server.${namespace}.svc`,
    'localhost',
    '127.0.0.1',
    '::1',
    ...(url === undefined ? [] : [hostOf(url)]),
  ];
  const issued = serverCertificates(definedPairs(kept), { hosts, nowMs: env.clock.now(), issuer });
  // The CA first: a certificate without its CA would be of no use.
  if (issued.authority !== kept.authority) {
    await write(context, SERVER_CA, authorities, tlsData(issued.authority));
  }
  if (issued.server !== kept.server) {
    await write(context, SERVER_TLS_SECRET, certificates, tlsData(issued.server));
  }
  const bundle = await kube.get(configMapKind, { name: SERVER_CA, namespace });
  if (bundle?.data?.['ca-bundle.crt'] !== issued.authority.certPem) {
    await writeBundle(context, bundle, issued.authority.certPem);
  }
  return issued;
}

function definedPairs(kept: {
  readonly authority: PemPair | undefined;
  readonly server: PemPair | undefined;
}): Partial<ServerCertificates> {
  return {
    ...(kept.authority === undefined ? {} : { authority: kept.authority }),
    ...(kept.server === undefined ? {} : { server: kept.server }),
  };
}

type SecretData = Pick<Secret, 'type' | 'data'>;

function tlsData({ certPem, keyPem }: PemPair): SecretData {
  return { type: 'kubernetes.io/tls', data: { 'tls.crt': base64(certPem), 'tls.key': base64(keyPem) } };
}

/** Replaces exactly the version that was read. The type of a Secret cannot change. */
async function write(
  { kube, env, settings: { namespace } }: Context,
  name: string,
  existing: Secret | undefined,
  content: SecretData,
): Promise<void> {
  if (existing === undefined) {
    const metadata = { name, namespace };
    await kube.create(secretKind, { apiVersion: 'v1', kind: secretKind.kind, metadata, ...content });
  } else await kube.update(secretKind, { ...existing, data: { ...existing.data, ...content.data } });
  env.log.info('Wrote a Secret of the machine config server', { secret: name });
}

async function writeBundle(
  { kube, settings: { namespace } }: Context,
  existing: ConfigMap | undefined,
  authorityPem: string,
): Promise<void> {
  const data = { 'ca-bundle.crt': authorityPem };
  const metadata = { name: SERVER_CA, namespace };
  const bundle: ConfigMap = { apiVersion: 'v1', kind: configMapKind.kind, metadata, data };
  if (existing === undefined) await kube.create(configMapKind, bundle);
  else await kube.patch(configMapKind, metadata, { type: 'merge', body: { data } });
}

async function ensureToken(context: Context, { issuer }: ConfigServerOptions): Promise<string> {
  const { kube, settings } = context;
  const existing = await kube.get(secretKind, { name: SERVER_TOKEN_SECRET, namespace: settings.namespace });
  const kept = textOf(existing, 'token');
  if (kept !== '') return kept;
  const token = issuer.createToken();
  await write(context, SERVER_TOKEN_SECRET, existing, { type: 'Opaque', data: { token: base64(token) } });
  return token;
}

/** Without one, there is no control plane node yet. */
function urlOf({ controllerConfigs, nodes }: Sources, { url }: ConfigServerOptions): string | undefined {
  if (url !== undefined) return url;
  const [config] = controllerConfigs.all();
  const internal = stringAt(config?.spec.infra, 'status', 'apiServerInternalURI');
  const host = internal === '' ? firstAddress(nodes) : hostOf(internal);
  return host === undefined || host === '' ? undefined : `https://${bracketed(host)}:${SERVER_PORT}`;
}

function firstAddress(nodes: Cache<Node>): string | undefined {
  return [...nodes.all()]
    .filter(isControlPlane)
    .toSorted((a, b) => compareBytes(a.metadata.name, b.metadata.name))
    .flatMap(({ status }) => status?.addresses ?? [])
    .find(({ type }) => type === 'InternalIP')?.address;
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function hostOf(url: string): string {
  const parsed = parseUrl(url);
  return 'url' in parsed ? hostname(parsed.url.host) : '';
}

/** Nodes that are not of the control plane do not serve. */
function hostsOfNode(node: Node | undefined): readonly string[] {
  if (node === undefined || !isControlPlane(node)) return [];
  return (node.status?.addresses ?? []).map(({ address }) => address);
}

function isControlPlane({ metadata: { labels = {} } }: Node): boolean {
  return [nodeRoleLabel('master'), nodeRoleLabel('control-plane')].some((label) =>
    Object.hasOwn(labels, label),
  );
}

function pairOf(secret: Secret | undefined): PemPair | undefined {
  const pair = { certPem: textOf(secret, 'tls.crt'), keyPem: textOf(secret, 'tls.key') };
  return pair.certPem === '' || pair.keyPem === '' ? undefined : pair;
}

function textOf(secret: Secret | undefined, key: string): string {
  return new TextDecoder().decode(base64Bytes(secret?.data?.[key] ?? ''));
}

function base64(text: string): string {
  return base64Text(new TextEncoder().encode(text));
}
