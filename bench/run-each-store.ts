/** Runs a benchmark once per store, each in its own process and data folder. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Benchmark = {
  /** The file of the benchmark, which is started again with the name of a store. */
  readonly script: string;
  readonly stores: readonly string[];
  readonly run: (store: string, folder: string) => Promise<void>;
};

export async function runEachStore({ script, stores, run }: Benchmark): Promise<void> {
  const [, , chosen] = process.argv;
  if (chosen === undefined) {
    for (const store of stores) {
      const { status } = spawnSync(process.execPath, ['--expose-gc', script, store], { stdio: 'inherit' });
      if (status !== 0) throw new Error(`the run of ${store} failed with exit code ${status}`);
    }
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'millwright-bench-'));
  try {
    await run(chosen, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
