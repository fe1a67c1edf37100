/**
 * The config of an image: which machine it is for, its labels, and what its layers unpack to.
 */
import { invalid, type Outcome, ok } from '../base/errors.ts';
import { isDeeperThan, isObject, MAX_JSON_DEPTH, own } from '../base/json.ts';
import { isDigest } from './digest.ts';

export type ImageConfig = {
  readonly os: string;
  readonly architecture: string;
  readonly variant?: string;
  /** As written, in the form of RFC 3339. */
  readonly created?: string;
  readonly labels: { readonly [name: string]: string };
  /** Of the layers unpacked, in their order. */
  readonly diffIds: readonly string[];
};

export function parseImageConfig(bytes: Uint8Array): Outcome<ImageConfig> {
  const document = parseJson(bytes);
  if (!isObject(document) || isDeeperThan(document, MAX_JSON_DEPTH)) {
    return invalid([{ path: '', message: 'the config of the image is not a JSON object' }]);
  }
  const rootfs = own(document, 'rootfs');
  const diffIds = isObject(rootfs) ? (own(rootfs, 'diff_ids') ?? []) : [];
  if (!Array.isArray(diffIds) || !diffIds.every((id) => typeof id === 'string' && isDigest(id))) {
    return invalid([{ path: 'rootfs.diff_ids', message: 'is not a list of digests' }]);
  }
  const { variant, created } = { variant: text(document, 'variant'), created: text(document, 'created') };
  return ok({
    os: text(document, 'os'),
    architecture: text(document, 'architecture'),
    ...(variant === '' ? {} : { variant }),
    ...(created === '' ? {} : { created }),
    labels: labelsOf(own(document, 'config')),
    // Each was seen to be a text above.
    diffIds: diffIds as readonly string[],
  });
}

function labelsOf(config: unknown): ImageConfig['labels'] {
  const labels = isObject(config) ? own(config, 'Labels') : undefined;
  if (!isObject(labels)) return {};
  return Object.fromEntries(
    Object.entries(labels).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function text(document: { readonly [key: string]: unknown }, key: string): string {
  const value = own(document, key);
  return typeof value === 'string' ? value : '';
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
