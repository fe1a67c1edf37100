/**
 * Manifests of images, and indexes of manifests by platform. OCI's and Docker's (version 2,
 * schema 2) are parsed into the same type; older ones are rejected.
 */

import { invalid, type Outcome, ok } from '../base/errors.ts';
import { isDeeperThan, isObject, MAX_JSON_DEPTH, own } from '../base/json.ts';
import {
  listAt,
  objectAt,
  optionalStringAt,
  optionalStringMapAt,
  stringAt,
  stringMapAt,
} from '../base/json-fields.ts';
import { isDigest } from './digest.ts';
import { isIndexType, isManifestType, OCI_INDEX, OCI_MANIFEST } from './media-types.ts';

/** The limit of registries. */
export const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;
/** More than any image has: builders are limited to 127. */
const MAX_LAYERS = 1_000;
const MAX_INDEX_ENTRIES = 1_000;

export type Descriptor = {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly annotations?: Annotations;
  readonly artifactType?: string;
};

type Annotations = { readonly [key: string]: string };

export type Platform = {
  readonly os: string;
  readonly architecture: string;
  readonly variant?: string;
};

export type IndexEntry = Descriptor & { readonly platform?: Platform };

export type Manifest = {
  readonly kind: 'image';
  readonly mediaType: string;
  readonly config: Descriptor;
  readonly layers: readonly ImageLayer[];
  readonly subject?: Descriptor;
  readonly artifactType?: string;
  readonly annotations: Annotations;
};

type ImageLayer = Descriptor & {
  /** It has a URL of its own and need not be in the registry. */
  readonly isForeign: boolean;
};

export type Index = {
  readonly kind: 'index';
  readonly mediaType: string;
  readonly manifests: readonly IndexEntry[];
  readonly subject?: Descriptor;
  readonly artifactType?: string;
  readonly annotations: Annotations;
};

/** The media type comes from the transport; the document must not contradict it. */
export function parseManifest(bytes: Uint8Array, mediaType: string): Outcome<Manifest | Index> {
  if (bytes.length > MAX_MANIFEST_BYTES) return refused(`is larger than ${MAX_MANIFEST_BYTES} bytes`);
  const document = decodeJson(bytes);
  if (!isObject(document)) return refused('is not a JSON object');
  if (isDeeperThan(document, MAX_JSON_DEPTH)) return refused('is nested too deeply');
  if (own(document, 'schemaVersion') !== 2) return refused('is not of schema version 2');
  const claimed = own(document, 'mediaType');
  if (claimed !== undefined && claimed !== '' && typeof claimed !== 'string') {
    return refused('has a mediaType that is not a string');
  }
  const type = isManifestType(mediaType) ? mediaType : claimed || guessedType(document);
  if (!isManifestType(type))
    return refused(`is of an unsupported type: ${JSON.stringify(type.slice(0, 200))}`);
  if (claimed !== undefined && claimed !== '' && claimed !== type) {
    return refused(
      `declares mediaType ${JSON.stringify(claimed.slice(0, 200))} but was served as ${JSON.stringify(type)}`,
    );
  }
  return isIndexType(type) ? parseIndex(document, type) : parseImage(document, type);
}

type Document = { readonly [key: string]: unknown };

/** Documents without a type are OCI's, where the field is optional. */
function guessedType(document: Document): string {
  return own(document, 'manifests') !== undefined ? OCI_INDEX : OCI_MANIFEST;
}

function parseImage(document: Document, mediaType: string): Outcome<Manifest> {
  // A document that is both is ambiguous.
  if (own(document, 'manifests') !== undefined) return refused('has manifests, which only an index has');
  const config = parseDescriptor(own(document, 'config'));
  if (config === undefined) return refused('has no valid config');
  const listed = own(document, 'layers') ?? [];
  if (!Array.isArray(listed) || listed.length > MAX_LAYERS) return refused('has no valid list of layers');
  const layers: ImageLayer[] = [];
  for (const [index, item] of listed.entries()) {
    const layer = parseDescriptor(item);
    if (layer === undefined) return refused(`has an invalid layer (number ${index})`);
    layers.push({ ...layer, isForeign: listAt(item, 'urls').length > 0 });
  }
  return withCommon(document, (common) => ({ kind: 'image', mediaType, config, layers, ...common }));
}

function parseIndex(document: Document, mediaType: string): Outcome<Index> {
  if (own(document, 'config') !== undefined || own(document, 'layers') !== undefined) {
    return refused('has config or layers, which an index has not');
  }
  const listed = own(document, 'manifests');
  if (!Array.isArray(listed) || listed.length > MAX_INDEX_ENTRIES) {
    return refused('has no valid list of manifests');
  }
  const manifests: IndexEntry[] = [];
  for (const [index, item] of listed.entries()) {
    const entry = parseDescriptor(item);
    if (entry === undefined) return refused(`has an invalid manifest (number ${index})`);
    const platform = parsePlatform(item);
    manifests.push({ ...entry, ...(platform === undefined ? {} : { platform }) });
  }
  return withCommon(document, (common) => ({ kind: 'index', mediaType, manifests, ...common }));
}

type Common = Pick<Manifest, 'subject' | 'artifactType' | 'annotations'>;

function withCommon<T>(document: Document, finish: (common: Common) => T): Outcome<T> {
  const given = own(document, 'subject');
  const subject = given === undefined || given === null ? undefined : parseDescriptor(given);
  if (given !== undefined && given !== null && subject === undefined)
    return refused('has an invalid subject');
  const artifactType = own(document, 'artifactType');
  return ok(
    finish({
      annotations: stringMapAt(document, 'annotations'),
      ...(subject === undefined ? {} : { subject }),
      ...(typeof artifactType === 'string' && artifactType !== '' ? { artifactType } : {}),
    }),
  );
}

function parseDescriptor(value: unknown): Descriptor | undefined {
  if (!isObject(value)) return undefined;
  const mediaType = own(value, 'mediaType');
  const digest = own(value, 'digest');
  const size = own(value, 'size');
  if (typeof mediaType !== 'string' || typeof digest !== 'string' || !isDigest(digest)) return undefined;
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) return undefined;
  const annotations = optionalStringMapAt(value, 'annotations');
  const artifactType = own(value, 'artifactType');
  return {
    mediaType,
    digest,
    size,
    ...(annotations === undefined ? {} : { annotations }),
    ...(typeof artifactType === 'string' && artifactType !== '' ? { artifactType } : {}),
  };
}

function parsePlatform(entry: unknown): Platform | undefined {
  const platform = objectAt(entry, 'platform');
  const os = optionalStringAt(platform, 'os');
  const architecture = optionalStringAt(platform, 'architecture');
  const variant = stringAt(platform, 'variant');
  if (os === undefined || architecture === undefined) return undefined;
  return { os, architecture, ...(variant === '' ? {} : { variant }) };
}

function decodeJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

function refused<T>(why: string): Outcome<T> {
  return invalid([{ path: '', message: `the manifest ${why}` }]);
}
