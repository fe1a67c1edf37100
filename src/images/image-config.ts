/**
 * The config of an image: its platform, its labels, and the digests of its unpacked layers.
 */

import { invalid, type Outcome, ok } from '../base/errors.ts';
import { isDeeperThan, isObject, MAX_JSON_DEPTH, own, parseJson } from '../base/json.ts';
import { stringAt, stringMapAt } from '../base/json-fields.ts';
import { isDigest } from './digest.ts';

export type ImageConfig = {
  readonly os: string;
  readonly architecture: string;
  readonly variant?: string;
  /** Unchanged, in RFC 3339. */
  readonly created?: string;
  readonly labels: { readonly [name: string]: string };
  /** Of the unpacked layers, in order. */
  readonly diffIds: readonly string[];
};

export function parseImageConfig(bytes: Uint8Array): Outcome<ImageConfig> {
  const document = parseJson(new TextDecoder().decode(bytes));
  if (!isObject(document) || isDeeperThan(document, MAX_JSON_DEPTH)) {
    return invalid([{ path: '', message: 'the config of the image is not a JSON object' }]);
  }
  const rootfs = own(document, 'rootfs');
  const diffIds = isObject(rootfs) ? (own(rootfs, 'diff_ids') ?? []) : [];
  if (!Array.isArray(diffIds) || !diffIds.every((id) => typeof id === 'string' && isDigest(id))) {
    return invalid([{ path: 'rootfs.diff_ids', message: 'is not a list of digests' }]);
  }
  const { variant, created } = {
    variant: stringAt(document, 'variant'),
    created: stringAt(document, 'created'),
  };
  return ok({
    os: stringAt(document, 'os'),
    architecture: stringAt(document, 'architecture'),
    ...(variant === '' ? {} : { variant }),
    ...(created === '' ? {} : { created }),
    labels: stringMapAt(document, 'config', 'Labels'),
    // Checked above.
    diffIds: diffIds as readonly string[],
  });
}
