/**
 * Applies the objects of `manifests/`, with the values of the embedded cluster, through the server: the CRDs first, then the
 * rest in file order. Idempotent, by server-side apply.
 */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Clock } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import { isObject, type JsonObject, own } from '../../base/json.ts';
import { optionalStringAt, stringAt } from '../../base/json-fields.ts';
import { defaultValues, type InstallValues, installObjects, parseManifests } from '../../install/index.ts';
import type { ApiServer, Request } from '../apiserver/index.ts';
import { BUILDER_IMAGE, MILLWRIGHT_IMAGE } from './component-instances.ts';
import { throwIfStopped } from './throw-if-stopped.ts';

type InstallOptions = {
  readonly handle: ApiServer['handle'];
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** Contains `crds/`. */
  readonly directory: string;
};

/** Throws a `Failure` (`ManifestRefused`, `ManifestUnusable`, or `cancelled`) that names the file. */
export async function installManifests(options: InstallOptions): Promise<void> {
  const definitions = await readManifests(join(options.directory, 'crds'));
  const others = await readManifests(options.directory);
  for (const definition of definitions) await apply(options, definition);
  for (const definition of definitions) await waitUntilServed(options, definition);
  for (const manifest of others) await apply(options, manifest);
}

const FIELD_MANAGER = 'millwright';
const DEFAULTS = defaultValues('embedded');

/**
 * The values of the embedded cluster. Its pods are parts of this process: a second replica of a component has nothing to take
 * over, images are not pulled, there is no network between pods, and kubelets have no certificates to approve.
 */
const UP_VALUES: InstallValues = {
  ...DEFAULTS,
  image: MILLWRIGHT_IMAGE,
  builderImage: BUILDER_IMAGE,
  base: 'coreos',
  pauseMaster: false,
  replicas: 1,
  networkPolicies: { enabled: false },
  server: { ...DEFAULTS.server, enabled: true },
  clientCertificates: { approve: false },
  servingCertificates: { approve: false },
};

type Manifest = {
  readonly file: string;
  readonly object: JsonObject;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
};

async function readManifests(directory: string): Promise<readonly Manifest[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.yaml'));
  const texts = new Map<string, string>();
  for (const name of names) texts.set(join(directory, name), await readFile(join(directory, name), 'utf8'));
  return parseManifests(texts).flatMap(({ name: file, objects }) =>
    installObjects([{ name: basename(file), objects }], UP_VALUES).map((object) => manifestOf(file, object)),
  );
}

function manifestOf(file: string, object: JsonObject): Manifest {
  return {
    file,
    object,
    apiVersion: stringAt(object, 'apiVersion'),
    kind: stringAt(object, 'kind'),
    name: stringAt(object, 'metadata', 'name'),
    namespace: optionalStringAt(object, 'metadata', 'namespace'),
  };
}

async function apply(options: InstallOptions, manifest: Manifest): Promise<void> {
  throwIfStopped(options);
  const { file, object, kind, name } = manifest;
  const { status, body } = await send(options, {
    method: 'PATCH',
    path: await pathOf(options, manifest),
    query: `fieldManager=${FIELD_MANAGER}&force=true`,
    headers: { 'content-type': 'application/apply-patch+yaml' },
    // JSON is YAML.
    body: new TextEncoder().encode(JSON.stringify(object)),
  });
  if (status >= 300) throw rejected(file, `${kind} ${name}: ${messageOf(body)}`);
}

/** The path of an object, from discovery. */
async function pathOf(options: InstallOptions, manifest: Manifest): Promise<string> {
  const { file, apiVersion, kind, name, namespace = 'default' } = manifest;
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const { body } = await send(options, { path: root });
  const resources = isObject(body) ? own(body, 'resources') : undefined;
  const resource = (Array.isArray(resources) ? resources : []).find(
    (one: unknown) => isObject(one) && own(one, 'kind') === kind && !String(own(one, 'name')).includes('/'),
  );
  if (!isObject(resource)) throw rejected(file, `the server has no ${kind} in ${apiVersion}`);
  const scope = own(resource, 'namespaced') === true ? `/namespaces/${namespace}` : '';
  return `${root}${scope}/${String(own(resource, 'name'))}/${name}`;
}

const SERVED_TIMEOUT_MS = 10_000;
const SERVED_POLL_MS = 10;

/** Objects of a kind can be created once its CRD is established. */
async function waitUntilServed(options: InstallOptions, definition: Manifest): Promise<void> {
  const { clock } = options;
  const path = await pathOf(options, definition);
  const deadline = clock.monotonic() + SERVED_TIMEOUT_MS;
  while (!isEstablished((await send(options, { path })).body)) {
    throwIfStopped(options);
    if (clock.monotonic() > deadline)
      throw rejected(definition.file, `${definition.name} is not established`);
    await new Promise<void>((resolve) => {
      clock.after(SERVED_POLL_MS, resolve);
    });
  }
}

function isEstablished(definition: unknown): boolean {
  const status = isObject(definition) ? own(definition, 'status') : undefined;
  const conditions = isObject(status) ? own(status, 'conditions') : undefined;
  return (Array.isArray(conditions) ? conditions : []).some(
    (one: unknown) => isObject(one) && own(one, 'type') === 'Established' && own(one, 'status') === 'True',
  );
}

type InstallRequest = Pick<Request, 'path'> & Partial<Omit<Request, 'path'>>;

async function send(
  { handle }: InstallOptions,
  request: InstallRequest,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const { status, body } = await handle({
    method: 'GET',
    query: '',
    body: new Uint8Array(),
    ...request,
    headers: { accept: 'application/json', 'user-agent': 'millwright', ...request.headers },
    certificateUser: { name: 'system:apiserver', groups: ['system:masters'] },
  });
  if (!(body instanceof Uint8Array)) return { status, body: undefined };
  try {
    return { status, body: JSON.parse(new TextDecoder().decode(body)) };
  } catch {
    // Some errors are plain text; the status is sufficient.
    return { status, body: undefined };
  }
}

function messageOf(body: unknown): string {
  return isObject(body) ? String(own(body, 'message')) : 'rejected';
}

function rejected(file: string, why: string): Failure {
  return new Failure('stalled', 'ManifestRefused', `installing ${file}: ${why}`);
}
