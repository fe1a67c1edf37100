/**
 * The programs of a real Kubernetes: taken from a folder, or built once from their modules.
 *
 * They are kept in a cache outside the tree, in a folder whose name changes with the pins in `go.mod`, with
 * the way they are built and with the version of Go.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, mkdir, readFile, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Unavailable } from '../oracle/oracle.ts';

export type ProgramName =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kubectl'
  | 'kubelet';

/** The path of a program that can be started. */
export async function findProgram(name: ProgramName): Promise<string | Unavailable> {
  const folder = process.env.MILLWRIGHT_KUBERNETES_BIN;
  if (folder === undefined) return cachedProgram(name);
  const program = join(folder, name);
  return (await exists(program)) ? program : { unavailable: `${program} does not exist` };
}

/** A `kubectl` of 1.27 or newer: the one on the path where it is new enough, else one that is built. */
export async function findKubectl(): Promise<string | Unavailable> {
  if (process.env.MILLWRIGHT_KUBERNETES_BIN !== undefined) return findProgram('kubectl');
  const minor = await run('kubectl', ['version', '--client', '--output=json']).then(
    ({ stdout }) => Number(/"gitVersion": "v1\.(\d+)\./.exec(stdout)?.[1]),
    () => Number.NaN,
  );
  return minor >= OLDEST_KUBECTL_MINOR ? 'kubectl' : cachedProgram('kubectl');
}

const run = promisify(execFile);
const ownDirectory = dirname(fileURLToPath(import.meta.url));
/** A benchmark is bundled elsewhere, and is run from the root of the package. */
const sourceDirectory = existsSync(join(ownDirectory, 'go.mod')) ? ownDirectory : resolve('test/kubernetes');
const OLDEST_KUBECTL_MINOR = 27;
/** Cold, one server takes ten minutes and more on two cores. */
const BUILD_TIMEOUT_MS = 60 * 60_000;

const packages: Readonly<Record<ProgramName, string>> = {
  etcd: 'go.etcd.io/etcd/server/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
  kubelet: 'k8s.io/kubernetes/cmd/kubelet',
};

async function cachedProgram(name: ProgramName): Promise<string | Unavailable> {
  const goVersion = await run('go', ['version']).then(
    ({ stdout }) => stdout,
    () => undefined,
  );
  if (goVersion === undefined) return { unavailable: 'go is not installed' };
  const pins = await readFile(join(sourceDirectory, 'go.mod'), 'utf8');
  const flags = buildFlags(pins);
  const directory = join(
    cacheDirectory(),
    'kubernetes',
    await fingerprint(`${goVersion}\0${flags.join('\0')}`),
  );
  const program = join(directory, name);
  if (await exists(program)) return program;
  await mkdir(directory, { recursive: true });
  // Renaming is atomic: concurrent builds find a complete program or none.
  const unfinished = `${program}.${process.pid}.${performance.now()}`;
  try {
    await run('go', ['build', ...flags, '-o', unfinished, packages[name]], {
      cwd: sourceDirectory,
      env: { ...process.env, CGO_ENABLED: '0' },
      timeout: BUILD_TIMEOUT_MS,
    });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (WORLD_IS_MISSING.test(text)) return { unavailable: `go cannot build ${name} here: ${text}` };
    throw new Error(`building ${name}`, { cause: error });
  }
  await rename(unfinished, program);
  return program;
}

/** Without these flags the server reports `v0.0.0-master` at `/version`. */
function buildFlags(pins: string): readonly string[] {
  const version = /k8s\.io\/kubernetes v(1\.(\d+)\.\d+)/.exec(pins);
  if (version === null) throw new Error('go.mod does not pin k8s.io/kubernetes');
  const versionFields = {
    gitMajor: '1',
    gitMinor: version[2],
    gitVersion: `v${version[1]}`,
    gitTreeState: 'clean',
  };
  const linked = Object.entries(versionFields).map(
    ([word, value]) => `-X k8s.io/component-base/version.${word}=${value}`,
  );
  return [
    '-trimpath',
    '-buildvcs=false',
    '-tags=selinux,notest,grpcnotrace',
    `-ldflags=-s -w ${linked.join(' ')}`,
  ];
}

/** Errors of `go build` without network or with an old Go: not a fault of the pins. */
const WORLD_IS_MISSING =
  /dial tcp|lookup .* (no such host|server misbehaving)|i\/o timeout|connection (refused|reset)|handshake timeout|40[34] |module lookup disabled|requires go >=|unknown directive|toolchain not available/;

function cacheDirectory(): string {
  const { MILLWRIGHT_CACHE, XDG_CACHE_HOME } = process.env;
  return MILLWRIGHT_CACHE ?? join(XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'millwright');
}

async function fingerprint(how: string): Promise<string> {
  const hash = createHash('sha256').update(how);
  for (const file of ['go.mod', 'go.sum']) {
    hash.update(`\0${file}\0`).update(await readFile(join(sourceDirectory, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
