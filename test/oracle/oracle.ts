/**
 * The real Go libraries as a process, so that tests can compare our results with theirs.
 *
 * The Go programs next to this file are built once into a cache outside the tree, under a name that depends on their
 * sources and on the version of Go.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { goProgram } from '../support/go-programs.ts';

/**
 * `ignition`: CoreOS Ignition as the Machine Config Operator calls it. `crd`: kube-apiserver's validation. `patch`: its
 * patches and server-side apply. `protobuf`: its encoding of objects. `certificates`: how its signers read requests.
 * `kubelet`: whether it starts with a configuration.
 */
export type OracleName = 'ignition' | 'crd' | 'patch' | 'protobuf' | 'certificates' | 'kubelet';

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

const sourceDirectory = dirname(fileURLToPath(import.meta.url));

/** The path of the built program. */
async function programOf(name: OracleName): Promise<string | Unavailable> {
  return name === 'kubelet' ? kubeletOracle() : libraryOracle(name);
}

/** It is made of the kubelet itself, and so belongs to the module that pins it. */
function kubeletOracle(): Promise<string | Unavailable> {
  return goProgram({
    name: 'kubelet-oracle',
    cache: 'oracle',
    folder: join(sourceDirectory, '../kubernetes'),
    package: './kubelet-config',
    sources: ['kubelet-config/main.go', 'kubelet-config/bodyless.s'],
    flags: ['-trimpath', '-buildvcs=false', '-tags=selinux,notest,grpcnotrace', '-ldflags=-s -w'],
    env: { CGO_ENABLED: '0' },
  });
}

async function libraryOracle(name: Exclude<OracleName, 'kubelet'>): Promise<string | Unavailable> {
  return goProgram({
    name,
    cache: 'oracle',
    folder: sourceDirectory,
    package: `./${name}`,
    sources: [...(await goFilesOf('wire')), ...(await goFilesOf(name))],
    flags: ['-trimpath', '-buildvcs=false'],
  });
}

async function goFilesOf(folder: string): Promise<string[]> {
  const entries = await readdir(join(sourceDirectory, folder));
  return entries
    .filter((entry) => entry.endsWith('.go'))
    .sort()
    .map((entry) => join(folder, entry));
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
