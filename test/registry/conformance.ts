/**
 * The distribution specification as a list of requests and expected responses that runs on any registry. Where Debian's
 * registry (2.8, older than the current specification) differs, the case states how and why ours does not.
 */
import { digestOf } from '../../src/images/index.ts';

export type Target = { readonly host: string; readonly repository: string };

export type Case = {
  /** What is true, as a sentence. */
  readonly title: string;
  /** What was seen, as plain data. */
  readonly seen: (target: Target) => Promise<unknown>;
  readonly expected: unknown;
  readonly debians?: { readonly expected: unknown; readonly because: string };
};

export type RegistryRequest = {
  readonly method?: string;
  /** Below `/v2/<repository>/`, or absolute where it begins with a slash or `http`. */
  readonly to: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
};

export type RegistryResponse = {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly text: string;
};

export async function ask(
  target: Target,
  { method = 'GET', to, headers = {}, body }: RegistryRequest,
): Promise<RegistryResponse> {
  const base = `http://${target.host}`;
  const url = to.startsWith('/')
    ? base + to
    : to.startsWith('http')
      ? to
      : `${base}/v2/${target.repository}/${to}`;
  const response = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : Buffer.from(body) }),
  });
  // Debian's announces bodies that do not come.
  const text = await response.text().catch(() => '');
  return { status: response.status, header: (name) => response.headers.get(name) ?? undefined, text };
}

/** The status, then the codes and messages of the errors. */
export function refusal({ status, text }: RegistryResponse): unknown {
  try {
    const { errors } = JSON.parse(text) as { errors: { code: string; message: string }[] };
    return [status, ...errors.map(({ code, message }) => `${code}: ${message}`)];
  } catch {
    return [status, text.trim()];
  }
}

export const HELLO = new TextEncoder().encode('hello');
export const HELLO_DIGEST = digestOf(HELLO);
export const OTHER_DIGEST = `sha256:${'0'.repeat(64)}`;
export const OCTETS = { 'content-type': 'application/octet-stream' };
export const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json';
export const INDEX_TYPE = 'application/vnd.oci.image.index.v1+json';
export const ACCEPT_ALL = { accept: `${MANIFEST_TYPE}, ${INDEX_TYPE}` };

export function manifest(more: object = {}): string {
  return JSON.stringify({
    schemaVersion: 2,
    mediaType: MANIFEST_TYPE,
    config: { mediaType: 'application/vnd.oci.image.config.v1+json', digest: HELLO_DIGEST, size: 5 },
    layers: [],
    ...more,
  });
}

export const digestOfText = (text: string): string => digestOf(new TextEncoder().encode(text));

/** Where an upload goes on, as an absolute address. */
export function locationOf(target: Target, answer: RegistryResponse): string {
  return new URL(answer.header('location') ?? '', `http://${target.host}`).href;
}

export async function begin(target: Target): Promise<string> {
  return locationOf(target, await ask(target, { method: 'POST', to: 'blobs/uploads/' }));
}

export function withDigest(location: string, digest: string): string {
  return `${location}${location.includes('?') ? '&' : '?'}digest=${digest}`;
}

export async function pushHello(target: Target): Promise<RegistryResponse> {
  const location = withDigest(await begin(target), HELLO_DIGEST);
  return await ask(target, { method: 'PUT', to: location, headers: OCTETS, body: HELLO });
}

export async function pushManifest(
  target: Target,
  tag: string,
  text = manifest(),
): Promise<RegistryResponse> {
  const { mediaType } = JSON.parse(text) as { mediaType: string };
  return await ask(target, {
    method: 'PUT',
    to: `manifests/${tag}`,
    body: text,
    headers: { 'content-type': mediaType },
  });
}
