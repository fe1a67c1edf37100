/**
 * Applies the objects of `manifests/` through the server: the CRDs first, then the rest in file order. Idempotent, by
 * server-side apply.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/env.ts';
import { Failure, formatProblem } from '../../base/errors.ts';
import { compareBytes, isObject, type Json, own } from '../../base/json.ts';
import { parseYaml } from '../../base/yaml/index.ts';
import type { ApiServer, Request } from '../apiserver/index.ts';
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

type Manifest = {
  readonly file: string;
  readonly object: Json;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
};

async function readManifests(directory: string): Promise<readonly Manifest[]> {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.yaml')).sort(compareBytes);
  const manifests: Manifest[] = [];
  for (const name of files) {
    const file = join(directory, name);
    const parsed = parseYaml(await readFile(file, 'utf8'));
    if (parsed.kind === 'invalid') {
      throw unusable(file, parsed.problems.map(formatProblem).join('; '));
    }
    manifests.push(...parsed.value.map(({ value }) => manifestOf(file, value)));
  }
  return manifests;
}

function manifestOf(file: string, object: Json): Manifest {
  const text = (value: unknown, key: string): string | undefined => {
    const field = isObject(value) ? own(value, key) : undefined;
    return typeof field === 'string' && field !== '' ? field : undefined;
  };
  const metadata = isObject(object) ? own(object, 'metadata') : undefined;
  const [apiVersion, kind, name] = [text(object, 'apiVersion'), text(object, 'kind'), text(metadata, 'name')];
  if (apiVersion === undefined || kind === undefined || name === undefined) {
    throw unusable(file, 'an object has no apiVersion, kind or name');
  }
  return { file, object, apiVersion, kind, name, namespace: text(metadata, 'namespace') };
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

function unusable(file: string, why: string): Failure {
  return new Failure('stalled', 'ManifestUnusable', `${file}: ${why}`);
}
