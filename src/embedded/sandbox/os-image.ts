/**
 * The OS image of sandbox nodes, built from a directory of the package, and variants for tests and examples: another
 * version, kernel or set of files.
 *
 * Builds are reproducible: the same input gives the same digest everywhere. A variant is a separate layer, so that images
 * share the base.
 */
import { assert } from '../../base/errors.ts';
import { parseDateTime } from '../../base/text/index.ts';
import type { TarItem } from '../../images/index.ts';
import {
  type BuiltImage,
  buildImage,
  buildIndex,
  folderItem,
  type LayerParts,
  parentOf,
  pathProblem,
  tidyPath,
  withParents,
} from '../../images/index.ts';
import type { ImageDescription, ImageFolder } from './image-folder.ts';
import type { Shell } from './shell.ts';

export type ImageVariation = {
  readonly version?: string;
  /** Without the architecture: `6.12.0-2`. */
  readonly kernel?: string;
  /** Default: all of the source. */
  readonly architectures?: readonly string[];
  /** Added or replaced packages. */
  readonly labels?: { readonly [name: string]: string };
  /** For the image of its architecture; the others have none. */
  readonly shell?: Shell | undefined;
  /** By path, such as `usr/bin/tool`; `removed` deletes it. */
  readonly files?: ReadonlyMap<string, ExtraFile | 'removed'>;
};

export type ExtraFile =
  | { readonly kind: 'file'; readonly content: Uint8Array; readonly mode?: number }
  | { readonly kind: 'symlink'; readonly target: string };

/** An index with one image per architecture. */
export function buildOsImage(folder: ImageFolder, variation: ImageVariation = {}): BuiltImage {
  const { architectures: known, created } = folder.description;
  const architectures = variation.architectures ?? Object.keys(known);
  return buildIndex(
    architectures.map((architecture) => {
      const values = valuesOf(folder.description, variation, architecture);
      const { shell } = variation;
      const extra = extraLayer(folder.description, variation);
      return buildImage({
        layers: [
          { items: baseLayer(folder, values) },
          ...(shell?.architecture === architecture ? [shellLayer(folder.description, shell)] : []),
          ...(extra.length === 0 ? [] : [{ items: extra }]),
        ],
        platform: { os: 'linux', architecture },
        labels: { ...filledLabels(folder.description.labels, values), ...variation.labels },
        created,
      });
    }),
  );
}

/** The values of `@NAME@` placeholders. */
type Values = { readonly [name: string]: string };

function valuesOf(
  { version, kernel, architectures }: ImageDescription,
  variation: ImageVariation,
  architecture: string,
): Values {
  const packageArchitecture = architectures[architecture];
  assert(packageArchitecture !== undefined, `image.json names the package architecture of ${architecture}`);
  return {
    VERSION: variation.version ?? version,
    KERNEL: `${variation.kernel ?? kernel}.${packageArchitecture}`,
    ARCH: packageArchitecture,
  };
}

function baseLayer({ description, files }: ImageFolder, values: Values): readonly TarItem[] {
  const mtime = secondsOf(description.created);
  const items = new Map<string, TarItem>();
  for (const [path, content] of files) {
    const mode = Number.parseInt(description.modes[path] ?? '0644', 8);
    const placed = filled(path, values);
    items.set(placed, { kind: 'file', path: placed, mode, mtime, content: filledBytes(content, values) });
  }
  for (const [path, target] of Object.entries(description.symlinks)) {
    items.set(path, { kind: 'symlink', path, mode: 0o777, mtime, target });
  }
  for (const path of description.folders) {
    items.set(path, {
      ...folderItem(path, mtime),
      mode: Number.parseInt(description.modes[path] ?? '0755', 8),
    });
  }
  return withParents(items, mtime);
}

const SHELL = 'usr/bin/busybox';

/**
 * The same for all versions of the image. Packed at every start of a cluster: compressing it would take longer than
 * everything else about the image.
 */
function shellLayer({ applets }: ImageDescription, { program }: Shell): LayerParts {
  const mtime = 0;
  const items = new Map<string, TarItem>([
    [SHELL, { kind: 'file', path: SHELL, mode: 0o755, mtime, content: program }],
  ]);
  for (const name of applets) {
    const path = `usr/bin/${name}`;
    items.set(path, { kind: 'symlink', path, mode: 0o777, mtime, target: 'busybox' });
  }
  return { items: withParents(items, mtime), isStored: true };
}

function extraLayer(
  { created }: ImageDescription,
  { files = new Map() }: ImageVariation,
): readonly TarItem[] {
  const mtime = secondsOf(created);
  const items = new Map<string, TarItem>();
  for (const [named, file] of files) {
    assert(pathProblem(named) === undefined, `${named} lies within the image`);
    const path = tidyPath(named);
    if (file === 'removed') {
      const parent = parentOf(path);
      const marker = `${parent === '' ? '' : `${parent}/`}.wh.${path.slice(parent === '' ? 0 : parent.length + 1)}`;
      items.set(marker, { kind: 'file', path: marker, mode: 0o644, mtime, content: new Uint8Array() });
    } else if (file.kind === 'symlink') {
      items.set(path, { kind: 'symlink', path, mode: 0o777, mtime, target: file.target });
    } else {
      items.set(path, { kind: 'file', path, mode: file.mode ?? 0o644, mtime, content: file.content });
    }
  }
  return withParents(items, mtime);
}

function filled(text: string, values: Values): string {
  return text.replace(/@([A-Z]+)@/g, (whole, name: string) => values[name] ?? whole);
}

/** Binary content is unchanged. */
function filledBytes(content: Uint8Array, values: Values): Uint8Array {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
    return new TextEncoder().encode(filled(text, values));
  } catch {
    return content;
  }
}

function filledLabels(labels: Values, values: Values): Values {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, filled(value, values)]));
}

function secondsOf(created: string): number {
  const nanos = parseDateTime(created);
  assert(nanos !== undefined, 'the time was checked when the folder was read');
  return Number(nanos / 1_000_000_000n);
}
