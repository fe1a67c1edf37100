/**
 * Files that a config holds packed. They are the only part of a config that can be much larger than the config itself, so what
 * they unpack to is limited, for all files of a config together.
 */
import type { Problem } from '../../base/errors.ts';
import { isObject, own } from '../../base/json.ts';
import { valueAt } from '../../base/json-fields.ts';
import { counted } from '../../base/text/index.ts';
import {
  contentFacts,
  type IgnitionConfig,
  MAX_UNPACKED_BYTES,
  prepareContentFacts,
  type Resource,
  unpackedBytes,
} from '../ignition/index.ts';

/** Nothing is unpacked for it: gzip data declares its size, and is unpacked only that far. */
export function unpackedSizeProblem({ storage }: IgnitionConfig): Problem | undefined {
  const files = storage?.files ?? [];
  const sizes = files.map(({ contents }) => unpackedBytes(contents));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= MAX_UNPACKED_BYTES) return undefined;
  const largest = Math.max(...sizes);
  const index = sizes.indexOf(largest);
  const packed = sizes.filter((size) => size > 0).length;
  const message = `the packed contents of ${counted(packed, 'file')} unpack to ${total} bytes, and those of a config may unpack to ${MAX_UNPACKED_BYTES} at most; the largest is ${files[index]?.path} with ${largest} bytes`;
  return { path: `storage.files[${index}].contents.source`, message };
}

/** Contents that are declared as gzip but are not: the node would reject them at first boot. */
export function packingWarnings({ storage }: IgnitionConfig): readonly Problem[] {
  return (storage?.files ?? []).flatMap(({ contents }, index) => {
    if (contents?.compression !== 'gzip' || !contents.source?.startsWith('data:')) return [];
    const facts = contentFacts(contents);
    if (facts.kind === 'ok') return [];
    return facts.problems.map(({ message }) => ({
      path: `storage.files[${index}].contents.source`,
      message,
    }));
  });
}

/**
 * Unpacks the files of a config in pieces, so that decisions about it, which take them all at once, find the result. Those of a
 * config that is too large are not unpacked: it is refused without.
 */
export async function preparePackedContents(
  config: IgnitionConfig,
  pause: () => Promise<void>,
): Promise<void> {
  if (unpackedSizeProblem(config) !== undefined) return;
  await prepareContentFacts(
    (config.storage?.files ?? []).map(({ contents }) => contents),
    pause,
  );
}

/** The same for a MachineConfig that is not parsed yet, which may be any value. */
export async function preparePackedSource(source: unknown, pause: () => Promise<void>): Promise<void> {
  const resources = packedResources(source);
  const total = resources.reduce((sum, resource) => sum + unpackedBytes(resource), 0);
  if (total <= MAX_UNPACKED_BYTES) await prepareContentFacts(resources, pause);
}

/** All versions of the format have them in the same place. */
function packedResources(source: unknown): readonly Resource[] {
  const files = valueAt(source, 'spec', 'config', 'storage', 'files');
  return (Array.isArray(files) ? files : []).flatMap((file: unknown) => {
    const contents = isObject(file) ? own(file, 'contents') : undefined;
    const packed = isObject(contents) ? own(contents, 'source') : undefined;
    if (!isObject(contents) || own(contents, 'compression') !== 'gzip') return [];
    return typeof packed === 'string' ? [{ source: packed, compression: 'gzip' }] : [];
  });
}
