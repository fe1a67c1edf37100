/**
 * Puts the objects of `manifests/` into a server, through the server: the CRDs first, then the rest in the order of
 * their files. Server-side apply makes it the same whether they are there already or not.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/env.ts';
import { Failure, formatProblem } from '../../base/errors.ts';
import { compareBytes, isObject, type Json, own } from '../../base/json.ts';
import { parseYaml } from '../../base/yaml/index.ts';
import type { ApiServer, Request } from '../apiserver/index.ts';
import { refuseIfStopped } from './stopped.ts';

type Installation = {
  readonly handle: ApiServer['handle'];
  readonly clock: Clock;
  /** Aborted when nobody waits for it any more. */
  readonly signal?: AbortSignal;
  /** With `crds/` in it. */
  readonly folder: string;
};

/** Throws a `Failure` (`ManifestRefused`, `ManifestUnusable`) that names the file, or one that it was `cancelled`. */
export async function installManifests(installation: Installation): Promise<void> {
  const definitions = await readManifests(join(installation.folder, 'crds'));
  const others = await readManifests(installation.folder);
  for (const definition of definitions) await apply(installation, definition);
  for (const definition of definitions) await waitUntilServed(installation, definition);
  for (const manifest of others) await apply(installation, manifest);
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

async function readManifests(folder: string): Promise<readonly Manifest[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort(compareBytes);
  const manifests: Manifest[] = [];
  for (const name of files) {
    const file = join(folder, name);
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

async function apply(installation: Installation, manifest: Manifest): Promise<void> {
  refuseIfStopped(installation);
  const { file, object, kind, name } = manifest;
  const { status, body } = await ask(installation, {
    method: 'PATCH',
    path: await pathOf(installation, manifest),
    query: `fieldManager=${FIELD_MANAGER}&force=true`,
    headers: { 'content-type': 'application/apply-patch+yaml' },
    // JSON is YAML.
    body: new TextEncoder().encode(JSON.stringify(object)),
  });
  if (status >= 300) throw refused(file, `${kind} ${name}: ${messageOf(body)}`);
}

/** Where objects of a kind live is for the server to say. */
async function pathOf(installation: Installation, manifest: Manifest): Promise<string> {
  const { file, apiVersion, kind, name, namespace = 'default' } = manifest;
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const { body } = await ask(installation, { path: root });
  const resources = isObject(body) ? own(body, 'resources') : undefined;
  const resource = (Array.isArray(resources) ? resources : []).find(
    (one: unknown) => isObject(one) && own(one, 'kind') === kind && !String(own(one, 'name')).includes('/'),
  );
  if (!isObject(resource)) throw refused(file, `the server knows no ${kind} in ${apiVersion}`);
  const place = own(resource, 'namespaced') === true ? `/namespaces/${namespace}` : '';
  return `${root}${place}/${String(own(resource, 'name'))}/${name}`;
}

const SERVED_TIMEOUT_MS = 10_000;
const SERVED_POLL_MS = 10;

/** Objects of a kind can be had once its definition is established. */
async function waitUntilServed(installation: Installation, definition: Manifest): Promise<void> {
  const { clock } = installation;
  const path = await pathOf(installation, definition);
  const deadline = clock.monotonic() + SERVED_TIMEOUT_MS;
  while (!isEstablished((await ask(installation, { path })).body)) {
    refuseIfStopped(installation);
    if (clock.monotonic() > deadline) throw refused(definition.file, `${definition.name} is not established`);
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

type Question = Pick<Request, 'path'> & Partial<Omit<Request, 'path'>>;

async function ask(
  { handle }: Installation,
  question: Question,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const { status, body } = await handle({
    ...{ method: 'GET', query: '', body: new Uint8Array(), ...question },
    headers: { accept: 'application/json', 'user-agent': 'millwright', ...question.headers },
    certificateUser: { name: 'system:apiserver', groups: ['system:masters'] },
  });
  if (!(body instanceof Uint8Array)) return { status, body: undefined };
  try {
    return { status, body: JSON.parse(new TextDecoder().decode(body)) };
  } catch {
    // Some refusals are plain text; the status says enough.
    return { status, body: undefined };
  }
}

function messageOf(body: unknown): string {
  return isObject(body) ? String(own(body, 'message')) : 'refused';
}

function refused(file: string, why: string): Failure {
  return new Failure('stalled', 'ManifestRefused', `installing ${file}: ${why}`);
}

function unusable(file: string, why: string): Failure {
  return new Failure('stalled', 'ManifestUnusable', `${file}: ${why}`);
}
