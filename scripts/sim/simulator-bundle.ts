/**
 * Bundles the simulator once for all its processes; a mutant is applied on the way, so that no branch in the sources knows of it.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { applyPatch, type SourcePatch } from './source-patch.ts';

export type SimulatorBundle = { readonly path: string; readonly remove: () => void };

const FOLDER = 'node_modules/.cache/millwright';

/** `name` tells bundles of one process apart. */
export async function bundleSimulator(
  name: string,
  patches: readonly SourcePatch[] = [],
): Promise<SimulatorBundle> {
  mkdirSync(FOLDER, { recursive: true });
  const outfile = resolve(join(FOLDER, `simulator-${name}.${process.pid}.mjs`));
  const remove = () => rmSync(outfile, { force: true });
  process.on('exit', remove);
  await build({
    entryPoints: ['scripts/sim/simulator-child.ts'],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'silent',
    plugins: patches.length === 0 ? [] : [patching(patches)],
  });
  return {
    path: outfile,
    remove: () => {
      process.off('exit', remove);
      remove();
    },
  };
}

function patching(patches: readonly SourcePatch[]): Plugin {
  return {
    name: 'mutants',
    setup(builder) {
      const applied = new Set<string>();
      builder.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const own = patches.filter(({ file }) => resolve(file) === path);
        if (own.length === 0) return undefined;
        const contents = own.reduce(applyPatch, readFileSync(path, 'utf8'));
        for (const { file } of own) applied.add(file);
        return { contents, loader: 'ts' };
      });
      builder.onEnd(() => {
        const missing = patches.filter(({ file }) => !applied.has(file)).map(({ file }) => file);
        if (missing.length > 0) throw new Error(`the simulator does not contain ${missing.join(', ')}`);
      });
    },
  };
}
