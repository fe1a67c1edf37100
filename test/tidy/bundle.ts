/**
 * What a command of the shipped program loads: the bundle's graph, from esbuild's metafile.
 */
import { build, type Metafile } from 'esbuild';
import { bundleOptions } from '../../scripts/bundle-options.mjs';

export type Bundle = {
  /** Source files that `millwright COMMAND` may load, given the file that the command is in. */
  filesOf(commandFile: string): readonly string[];
  /** The size of the code that is loaded for them. */
  bytesOf(commandFile: string): number;
};

const ENTRY = 'src/main.ts';

export async function bundleProgram(): Promise<Bundle> {
  const { metafile } = await build({
    ...bundleOptions,
    outdir: 'dist',
    write: false,
    sourcemap: false,
    metafile: true,
  });
  return {
    filesOf(commandFile) {
      const files = chunksOf(metafile, commandFile).flatMap((chunk) =>
        Object.keys(metafile.outputs[chunk]?.inputs ?? {}),
      );
      return [...new Set(files)].sort();
    },
    bytesOf: (commandFile) =>
      chunksOf(metafile, commandFile).reduce((sum, chunk) => sum + (metafile.outputs[chunk]?.bytes ?? 0), 0),
  };
}

/** The entry with what it imports statically, and the command with all that it may ever import. */
function chunksOf(metafile: Metafile, commandFile: string): readonly string[] {
  const chunkOf = (file: string) => {
    const found = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === file)?.[0];
    if (found === undefined) throw new Error(`${file} is the entry of no chunk`);
    return found;
  };
  const reached = new Set<string>();
  const visit = (chunk: string, isFollowed: (kind: string) => boolean) => {
    if (reached.has(chunk)) return;
    reached.add(chunk);
    for (const { path, kind, external } of metafile.outputs[chunk]?.imports ?? []) {
      if (external !== true && isFollowed(kind)) visit(path, isFollowed);
    }
  };
  visit(chunkOf(ENTRY), (kind) => kind !== 'dynamic-import');
  // What the entry has loaded may import more once the command calls it; the commands themselves are the exception.
  visit(chunkOf(commandFile), () => true);
  return [...reached];
}
