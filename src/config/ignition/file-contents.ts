/**
 * The contents of a file, as far as they are embedded in the config.
 *
 * Packed contents may be a thousand times as large as the config. Where other work shares the process they are unpacked in
 * pieces (`…WithPauses`), and what decisions need to know about them (`contentFacts`) is found out once for each content.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { finish, finishWithPauses, type InPieces, piecesOf } from '../../base/bytes.ts';
import { invalid, type Outcome, ok, type Problem } from '../../base/errors.ts';
import type { Resource } from './config.ts';
import { decodeDataUrl } from './data-url.ts';
import { declaredBytes, gunzipPieces } from './gunzip.ts';

/**
 * The limit of what the packed contents of a config unpack to, of one file and of all of them. The cluster holds 1.5 MiB of a
 * config, which is 1.1 MiB of gzip data in base64: text of sixty times that size is none that an administrator has written.
 */
export const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

type Pause = () => Promise<void>;

/**
 * The bytes of a resource with an embedded source. A resource without a source is an empty file; one with a remote
 * source cannot be read here.
 */
export function fileContents(resource: Resource | undefined): Outcome<Uint8Array> {
  return finish(reading(resource));
}

export async function fileContentsWithPauses(
  resource: Resource | undefined,
  pause: Pause,
): Promise<Outcome<Uint8Array>> {
  return await finishWithPauses(reading(resource), pause);
}

/** What the contents unpack to, as they declare it; 0 where they are not packed. Nothing is unpacked for it. */
export function unpackedBytes(resource: Resource | undefined): number {
  const data = decoded(resource);
  return data.kind === 'packed' ? (declaredBytes(data.bytes) ?? 0) : 0;
}

type ContentFacts =
  | { readonly kind: 'ok'; readonly sizeBytes: number /** SHA-256. */; readonly digest: string }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] };

/** Whether the contents can be read, and what they are, without keeping them. */
export function contentFacts(resource: Resource | undefined): ContentFacts {
  const found = findFacts(resource);
  return found.facts ?? keepFacts(found, finish(examining(resource)));
}

/** Finds out what `contentFacts` then knows. */
export async function prepareContentFacts(
  resources: readonly (Resource | undefined)[],
  pause: Pause,
): Promise<void> {
  for (const resource of resources) {
    const found = findFacts(resource);
    if (found.facts !== undefined) continue;
    keepFacts(found, await finishWithPauses(examining(resource), pause));
    await pause();
  }
}

export async function digestWithPauses(bytes: Uint8Array, pause: Pause): Promise<string> {
  return await finishWithPauses(hashing(bytes), pause);
}

function* hashing(bytes: Uint8Array): InPieces<string> {
  const hash = sha256.create();
  for (const piece of piecesOf(bytes)) {
    hash.update(piece);
    yield piece.length;
  }
  return bytesToHex(hash.digest());
}

type Decoded =
  | { readonly kind: 'plain' | 'packed'; readonly bytes: Uint8Array }
  | { readonly kind: 'invalid'; readonly problem: Problem };

function decoded(resource: Resource | undefined): Decoded {
  const { source, compression } = resource ?? {};
  if (source === undefined || source === '') return { kind: 'plain', bytes: new Uint8Array() };
  const data = decodeDataUrl(source);
  if (typeof data === 'string') return { kind: 'invalid', problem: { path: 'source', message: data } };
  if (compression === undefined || compression === '') return { kind: 'plain', bytes: data.bytes };
  if (compression === 'gzip') return { kind: 'packed', bytes: data.bytes };
  const message = `unsupported compression type ${JSON.stringify(compression)}`;
  return { kind: 'invalid', problem: { path: 'compression', message } };
}

function* reading(resource: Resource | undefined): InPieces<Outcome<Uint8Array>> {
  const data = decoded(resource);
  if (data.kind === 'invalid') return invalid([data.problem]);
  if (data.kind === 'plain') return ok(data.bytes);
  const tooLarge = sizeProblem(data.bytes);
  if (tooLarge !== undefined) return invalid([{ path: 'source', message: tooLarge }]);
  const contents = new Uint8Array(declaredBytes(data.bytes) ?? 0);
  const pieces = gunzipPieces(data.bytes);
  for (let length = 0; ; ) {
    const step = pieces.next();
    if (step.done === true) {
      return step.value === undefined ? ok(contents) : invalid([{ path: 'source', message: step.value }]);
    }
    contents.set(step.value, length);
    length += step.value.length;
    yield step.value.length;
  }
}

function* examining(resource: Resource | undefined): InPieces<ContentFacts> {
  const data = decoded(resource);
  if (data.kind === 'invalid') return { kind: 'invalid', problems: [data.problem] };
  if (data.kind === 'plain') {
    return { kind: 'ok', sizeBytes: data.bytes.length, digest: yield* hashing(data.bytes) };
  }
  const unreadable = (message: string): ContentFacts => ({
    kind: 'invalid',
    problems: [{ path: 'source', message }],
  });
  const tooLarge = sizeProblem(data.bytes);
  if (tooLarge !== undefined) return unreadable(tooLarge);
  const hash = sha256.create();
  const pieces = gunzipPieces(data.bytes);
  for (let sizeBytes = 0; ; ) {
    const step = pieces.next();
    if (step.done === true) {
      if (step.value !== undefined) return unreadable(step.value);
      return { kind: 'ok', sizeBytes, digest: bytesToHex(hash.digest()) };
    }
    hash.update(step.value);
    sizeBytes += step.value.length;
    yield step.value.length;
  }
}

function sizeProblem(packed: Uint8Array): string | undefined {
  const sizeBytes = declaredBytes(packed) ?? 0;
  return sizeBytes <= MAX_UNPACKED_BYTES
    ? undefined
    : `gzip data unpacks to more than ${MAX_UNPACKED_BYTES} bytes`;
}

/** Facts are small, contents are not: so many configs are far more than a cluster has. */
const MAX_KNOWN_FACTS = 10_000;
/** Configs are parsed from objects that do not change. */
const ofResources = new WeakMap<Resource, ContentFacts>();
/** The same contents arrive in many objects: at each read of a config, and from each node of an embedded cluster. */
const ofContents = new Map<string, ContentFacts>();

type FoundFacts = {
  readonly facts?: ContentFacts;
  readonly resource?: Resource | undefined;
  readonly key?: string;
};

function findFacts(resource: Resource | undefined): FoundFacts {
  const known = resource === undefined ? undefined : ofResources.get(resource);
  if (known !== undefined) return { facts: known };
  // Small contents are found out faster than they are looked up.
  if (resource?.compression !== 'gzip') return { resource };
  const key = bytesToHex(sha256(utf8ToBytes(resource.source ?? '')));
  const facts = ofContents.get(key);
  if (facts === undefined) return { resource, key };
  ofResources.set(resource, facts);
  return { facts };
}

function keepFacts({ resource, key }: FoundFacts, facts: ContentFacts): ContentFacts {
  if (resource !== undefined) ofResources.set(resource, facts);
  if (key === undefined) return facts;
  const [oldest] = ofContents.keys();
  if (ofContents.size >= MAX_KNOWN_FACTS && oldest !== undefined) ofContents.delete(oldest);
  ofContents.set(key, facts);
  return facts;
}
