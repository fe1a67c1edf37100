/** `node scripts/run.mjs FILE`, by which `npm run sim` and others start: it leaves nothing behind. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millwright-script-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** `whenReady`: called once the script has printed something. */
async function run(source: string, whenReady: (kill: (signal: NodeJS.Signals) => void) => void = () => {}) {
  const file = join(folder, 'script.ts');
  writeFileSync(file, source);
  const child = spawn(process.execPath, ['scripts/run.mjs', file], { stdio: ['ignore', 'pipe', 'ignore'] });
  const bundle = `node_modules/.cache/millwright/script.${child.pid}.mjs`;
  let wasThere = false;
  child.stdout.once('data', () => {
    wasThere = existsSync(bundle);
    whenReady((signal) => child.kill(signal));
  });
  const [exitCode] = await once(child, 'close');
  return { exitCode, wasThere, isLeft: existsSync(bundle) };
}

const ENDLESS = "process.stdout.write('ready');\nsetInterval(() => undefined, 1_000);\n";

describe('a script', () => {
  it.each([
    ['ends', "process.stdout.write('ready');\nsetTimeout(() => undefined, 500);\n", 0],
    ['fails', "process.stdout.write('ready');\nsetTimeout(() => { throw new Error('no'); }, 500);\n", 1],
  ])('that %s leaves no bundle', async (_, source, exitCode) => {
    expect(await run(source)).toEqual({ exitCode, wasThere: true, isLeft: false });
  });

  it('that handles a signal leaves no bundle', async () => {
    const source = `process.once('SIGTERM', () => process.exit(143));\n${ENDLESS}`;
    const ended = await run(source, (kill) => kill('SIGTERM'));
    expect(ended).toEqual({ exitCode: 143, wasThere: true, isLeft: false });
  });
});
