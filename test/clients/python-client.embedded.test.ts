/** The Python client, as Debian packs it, on our server: `python/try_kubernetes.py` does the work. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiserverProcess, startApiserverProcess } from '../apiserver/apiserver-process.ts';

const run = promisify(execFile);
const script = fileURLToPath(new URL('python/try_kubernetes.py', import.meta.url));
/** A script that takes longer hangs. */
const LIMIT_MS = 100_000;
const python = await findPython();
const isRequired = process.env.MILLWRIGHT_REQUIRE_TOOLS === '1';
const reason = python === undefined ? ' (skipped: no python3 here has the module kubernetes)' : '';

describe.skipIf(python === undefined && !isRequired)(`the Python client${reason}`, () => {
  let folder: string;
  let server: ApiserverProcess;
  let outcomes: ReadonlyMap<string, string | null>;
  beforeAll(async () => {
    if (python === undefined) throw new Error('python3 with the module kubernetes is required');
    folder = await mkdtemp(join(tmpdir(), 'millwright-clients-'));
    server = await startApiserverProcess({ dataDir: folder });
    const { stdout } = await run(python, [script, server.kubeconfig], { timeout: LIMIT_MS });
    outcomes = new Map(
      stdout
        .trim()
        .split('\n')
        // The script is ours: this is the form in which it answers.
        .map((line) => JSON.parse(line) as { readonly name: string; readonly failure: string | null })
        .map(({ name, failure }) => [name, failure]),
    );
  });
  afterAll(async () => {
    await server.end('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  it.each([
    ['raises exceptions with a Status', 'errors'],
    ['creates, reads, replaces, lists and deletes objects', 'built_in_objects'],
    ['patches objects with JSON and strategic patches', 'patches'],
    ['watches objects', 'watches'],
    ['works with custom objects', 'custom_objects'],
    ['finds resources by discovery', 'dynamic_client'],
    ['reviews access, and reads the version and the API groups', 'reviews'],
  ])('%s', (_, name) => {
    expect(outcomes.get(name)).toBeNull();
  });
});

/** The one in the path, or Debian's own, which has Debian's packages. */
async function findPython(): Promise<string | undefined> {
  for (const program of ['python3', '/usr/bin/python3']) {
    const has = await run(program, ['-c', 'import kubernetes']).then(
      () => true,
      () => false,
    );
    if (has) return program;
  }
  return undefined;
}
