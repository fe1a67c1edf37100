/**
 * The real Go libraries as a process, so that tests can compare our results with theirs.
 *
 * The Go programs next to this file are built once into a cache outside the tree, under a name that depends on their
 * sources and on the version of Go.
 */
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/**
 * `ignition`: CoreOS Ignition as the Machine Config Operator calls it. `crd`: kube-apiserver's validation. `patch`: its
 * patches and server-side apply. `protobuf`: its encoding of objects.
 */
export type OracleName = 'ignition' | 'crd' | 'patch' | 'protobuf';

export type Oracle = {
  /** The response of the library; rejects if the program itself failed. */
  readonly ask: (op: string, fields: Readonly<Record<string, unknown>>) => Promise<unknown>;
  readonly close: () => Promise<void>;
};

export type Unavailable = { readonly unavailable: string };

/** With `MILLWRIGHT_REQUIRE_TOOLS=1` an unavailable oracle is an error: CI must not skip silently. */
export async function startOracle(name: OracleName): Promise<Oracle | Unavailable> {
  const program = await programOf(name);
  if (typeof program === 'string') return serve(spawn(program, [], { stdio: 'pipe' }));
  if (process.env.MILLWRIGHT_REQUIRE_TOOLS === '1') {
    throw new Error(`the ${name} oracle is required but unavailable: ${program.unavailable}`);
  }
  return program;
}

const run = promisify(execFile);
const sourceDirectory = dirname(fileURLToPath(import.meta.url));
/** With a cold cache, the Kubernetes libraries take minutes to build on a small machine. */
const BUILD_TIMEOUT_MS = 15 * 60_000;

/** The path of the built program. */
async function programOf(name: OracleName): Promise<string | Unavailable> {
  const goVersion = await run('go', ['version']).then(
    ({ stdout }) => stdout,
    () => undefined,
  );
  if (goVersion === undefined) return { unavailable: 'go is not installed' };
  const directory = join(cacheDirectory(), 'oracle');
  const program = join(directory, `${name}-${await fingerprint(name, goVersion)}`);
  if (await exists(program)) return program;
  await mkdir(directory, { recursive: true });
  // Renaming is atomic: concurrent builds find a complete program or none.
  const unfinished = `${program}.${process.pid}.${performance.now()}`;
  try {
    const args = ['build', '-trimpath', '-buildvcs=false', '-o', unfinished, `./${name}`];
    await run('go', args, { cwd: sourceDirectory, timeout: BUILD_TIMEOUT_MS });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (WORLD_IS_MISSING.test(text)) return { unavailable: `go cannot build it here: ${text}` };
    throw new Error(`building the ${name} oracle`, { cause: error });
  }
  await rename(unfinished, program);
  return program;
}

/** The errors of `go build` without a network, or with an old version of Go: not a fault of the sources. */
const WORLD_IS_MISSING =
  /dial tcp|lookup .* (no such host|server misbehaving)|i\/o timeout|connection (refused|reset)|handshake timeout|40[34] |module lookup disabled|requires go >=|unknown directive|toolchain not available/;

function cacheDirectory(): string {
  const { MILLWRIGHT_CACHE, XDG_CACHE_HOME } = process.env;
  return MILLWRIGHT_CACHE ?? join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'millwright');
}

async function fingerprint(name: OracleName, goVersion: string): Promise<string> {
  const hash = createHash('sha256').update(goVersion);
  const files = ['go.mod', 'go.sum', ...(await goFilesOf('wire')), ...(await goFilesOf(name))];
  for (const file of files) hash.update(`\0${file}\0`).update(await readFile(join(sourceDirectory, file)));
  return hash.digest('hex').slice(0, 16);
}

async function goFilesOf(folder: string): Promise<string[]> {
  const entries = await readdir(join(sourceDirectory, folder));
  return entries
    .filter((entry) => entry.endsWith('.go'))
    .sort()
    .map((entry) => join(folder, entry));
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

type Waiting = { readonly resolve: (result: unknown) => void; readonly reject: (cause: Error) => void };

/** One JSON object per line in each direction, matched by id. */
function serve(child: ChildProcessWithoutNullStreams): Oracle {
  const waiting = new Map<number, Waiting>();
  let nextId = 1;
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  readLines(child, (line) => settle(waiting, line));
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => {
      for (const { reject } of waiting.values()) reject(new Error(`the oracle ended: ${stderr}`));
      waiting.clear();
      resolve();
    });
  });
  return {
    ask(op, fields) {
      const id = nextId++;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        child.stdin.write(`${JSON.stringify({ ...fields, id, op })}\n`);
      });
    },
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}

function settle(waiting: Map<number, Waiting>, line: string): void {
  // The program is ours: this is the format of its responses.
  const { id, result, fault } = JSON.parse(line) as { id: number; result?: unknown; fault?: string };
  const asked = waiting.get(id);
  waiting.delete(id);
  if (fault === undefined) asked?.resolve(result);
  else asked?.reject(new Error(`the oracle cannot answer: ${fault}`));
}

/** Splits bytes, not text: a character may be split between chunks. */
function readLines(child: ChildProcessWithoutNullStreams, onLine: (line: string) => void): void {
  let rest: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      onLine(Buffer.concat([...rest, chunk.subarray(start, end)]).toString());
      rest = [];
      start = end + 1;
    }
    rest.push(chunk.subarray(start));
  });
}
