/**
 * Millwright's own files in an image: the bundle without the embedded cluster and without source maps, and the data that
 * its commands read. Bundled anew: dist/ keeps chunks of earlier builds.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { bundleOptions } from '../bundle-options.mjs';
import type { ImageFile } from './layers.ts';

/** Where the package is in the image. */
const HOME = 'opt/millwright';
const DATA = ['manifests', 'templates'];
const EMBEDDED = /^\.\/(apiserver|node|simulate|up)-command\.ts$/;

/** By path in the image. */
export async function programFiles(root: string): Promise<ReadonlyMap<string, ImageFile>> {
  const files = new Map<string, ImageFile>();
  const put = (path: string, content: Uint8Array, mode: number) =>
    files.set(`${HOME}/${path}`, { kind: 'file', content, mode });
  put('bin/millwright', readFileSync(join(root, 'bin/millwright')), 0o755);
  put('package.json', new TextEncoder().encode(packageJson(root)), 0o644);
  for (const { path, contents } of (await bundle(root)).outputFiles) {
    put(`dist/${basename(path)}`, contents, 0o644);
  }
  for (const folder of DATA) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      put(path.slice(root.length + 1), readFileSync(path), 0o644);
    }
  }
  files.set('usr/local/bin/millwright', { kind: 'symlink', target: `/${HOME}/bin/millwright` });
  return files;
}

export function readVersion(root: string): { readonly version: string; readonly description: string } {
  const { version, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return { version: String(version), description: String(description) };
}

/** What the program and Node read of it: nothing about development. */
function packageJson(root: string): string {
  const { version } = readVersion(root);
  return `${JSON.stringify({ name: 'millwright', version, type: 'module' }, null, 2)}\n`;
}

function bundle(root: string) {
  return build({
    ...bundleOptions,
    absWorkingDir: root,
    entryPoints: [join(root, 'src/main.ts')],
    outdir: join(root, 'dist'),
    sourcemap: false,
    write: false,
    plugins: [withoutEmbeddedCluster(root)],
  });
}

function withoutEmbeddedCluster(root: string): Plugin {
  return {
    name: 'without-embedded-cluster',
    setup(plugged) {
      plugged.onResolve({ filter: EMBEDDED }, ({ kind }) =>
        kind === 'dynamic-import' ? { path: join(root, 'scripts/image/no-embedded-cluster.ts') } : undefined,
      );
    },
  };
}
