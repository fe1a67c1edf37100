/**
 * The images of Millwright: their size, how long a role takes from its start until it is ready, and its memory. The roles run from the
 * files of the image, as their pods run them (user, heap), against an embedded API server in this process with ten nodes. Results are
 * printed, never asserted: machines differ. Needs root, for chroot.
 *
 *     node scripts/run.mjs bench/image.ts
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { BUILDER_RUNTIME, builderFiles } from '../scripts/image/builder-image.ts';
import { assembleImage, type ImageFiles } from '../scripts/image/layers.ts';
import { MILLWRIGHT_RUNTIME, NOBODY, rootFiles } from '../scripts/image/millwright-image.ts';
import { ociArchive } from '../scripts/image/oci-archive.ts';
import { programFiles } from '../scripts/image/program.ts';
import { machineRuntime } from '../scripts/image/runtime.ts';
import { createKube } from '../src/kubernetes/client/index.ts';
import { node as nodeKind } from '../src/kubernetes/types/index.ts';
import { freePort } from '../test/kubernetes/free-port.ts';
import { aNode } from '../test/rollout/build-world.ts';
import { podEnvironment } from './component-process.ts';
import { startInstalledServer } from './installed-server.ts';
import { residentMib } from './resident-memory.ts';

const NODES = 10;
const MIB = 1024 ** 2;
const REST_MS = 15_000;
const READY_LIMIT_MS = 60_000;
type Role = {
  readonly name: string;
  readonly user: number;
  readonly env: { readonly [name: string]: string };
  readonly args: (address: string) => readonly string[];
};

const ROLES: readonly Role[] = [
  {
    name: 'operator',
    user: NOBODY,
    env: podEnvironment('operator'),
    args: (address) => ['--health-address', address],
  },
  {
    name: 'controller',
    user: NOBODY,
    env: podEnvironment('controller'),
    args: (address) => ['--health-address', address],
  },
  {
    name: 'builder',
    user: NOBODY,
    env: podEnvironment('builder'),
    args: (address) => ['--health-address', address, '--builder-image', 'registry.example/builder:1'],
  },
  {
    name: 'daemon',
    user: 0,
    env: {},
    args: (address) => ['--metrics-url', address, '--node-name', 'worker-0'],
  },
];

const folder = mkdtempSync(join(tmpdir(), 'millwright-bench-image-'));
try {
  await run();
} finally {
  rmSync(folder, { recursive: true });
}
process.exit(0);

async function run(): Promise<void> {
  const program = await programFiles(process.cwd());
  const { architecture, files } = await machineRuntime();
  const base = new Map([...rootFiles(), ...files]);
  console.log('\nImages                      archive    unpacked   of it Millwright');
  const show = (title: string, lower: ImageFiles, runtime: typeof MILLWRIGHT_RUNTIME) => {
    const image = assembleImage({ layers: [lower, program], architecture, labels: {}, runtime, time: 0 });
    const columns = [ociArchive(image, 'bench').length, bytesOf(lower) + bytesOf(program), bytesOf(program)];
    const text = columns.map((bytes) => `${(bytes / MIB).toFixed(1).padStart(6)} MiB`).join('  ');
    console.log(`  ${title.padEnd(24)} ${text}`);
  };
  show('millwright', base, MILLWRIGHT_RUNTIME);
  show('millwright-builder', new Map([...base, ...builderFiles()]), BUILDER_RUNTIME);
  const root = join(folder, 'root');
  unpack(root, new Map([...base, ...program]));
  prepareHost(join(root, 'rootfs'));
  await measureRoles(root);
}

function bytesOf(files: ImageFiles): number {
  return [...files.values()].reduce((sum, file) => sum + (file.kind === 'file' ? file.content.length : 0), 0);
}

function unpack(root: string, files: ImageFiles): void {
  for (const [path, file] of files) {
    const place = join(root, path);
    mkdirSync(file.kind === 'folder' ? place : dirname(place), { recursive: true });
    if (file.kind === 'symlink') symlinkSync(file.target, place);
    if (file.kind === 'file') writeFileSync(place, file.content);
    if (file.kind !== 'symlink') chmodSync(place, file.mode);
  }
}

/** A machine that the daemon can read, and that has no programs: it stays idle. */
function prepareHost(root: string): void {
  mkdirSync(join(root, 'etc'), { recursive: true });
  cpSync('/etc/os-release', join(root, 'etc/os-release'), { dereference: true });
}

async function measureRoles(root: string): Promise<void> {
  const { env, transport, kubeconfig, stop } = await startInstalledServer();
  const kube = createKube({ transport, env, fieldManager: 'bench' });
  for (let index = 0; index < NODES; index++)
    await kube.create(nodeKind, aNode(`worker-${index}`, ['worker']));
  writeFileSync(join(root, 'tmp/kubeconfig'), kubeconfig, { mode: 0o644 });
  const started: ChildProcess[] = [];
  try {
    console.log(`\nRoles, ${NODES} nodes         ready after   ready        at rest      peak`);
    console.log(`  ${'--version'.padEnd(20)} ${`${await versionMs(root)} ms`.padStart(12)}`);
    for (const role of ROLES) await measureRole(root, role, started);
  } finally {
    await Promise.all(started.map(end));
    await stop();
  }
}

async function measureRole(root: string, role: Role, started: ChildProcess[]): Promise<void> {
  const address = `127.0.0.1:${await freePort()}`;
  const began = performance.now();
  const child = start(root, role, [role.name, '--kubeconfig', '/tmp/kubeconfig', ...role.args(address)]);
  started.push(child);
  let log = '';
  child.stderr?.on('data', (piece: Buffer) => {
    log = `${log}${piece}`.slice(-4_000);
  });
  while (!(await isReady(address))) {
    if (performance.now() - began > READY_LIMIT_MS || child.exitCode !== null)
      throw new Error(`${role.name} did not become ready:\n${log}`);
    await pause(10);
  }
  const readyMs = Math.round(performance.now() - began);
  const atReady = residentMib(child.pid, 'VmRSS');
  await pause(REST_MS);
  const figures = [atReady, residentMib(child.pid, 'VmRSS'), residentMib(child.pid, 'VmHWM')];
  const text = figures.map((mib) => `${mib.toFixed(0).padStart(5)} MiB`).join('    ');
  console.log(`  ${role.name.padEnd(20)} ${`${readyMs} ms`.padStart(12)}  ${text}`);
}

function start(root: string, { user, env: given }: Pick<Role, 'user' | 'env'>, args: readonly string[]) {
  const env = { PATH: '/usr/sbin:/usr/local/bin:/usr/bin:/bin', ...given };
  const entered = [`--userspec=${user}:${user}`, root, 'millwright', ...args];
  return spawn('chroot', entered, { stdio: ['ignore', 'ignore', 'pipe'], env });
}

async function versionMs(root: string): Promise<number> {
  const began = performance.now();
  await once(start(root, { user: NOBODY, env: {} }, ['--version']), 'exit');
  return Math.round(performance.now() - began);
}

async function isReady(address: string): Promise<boolean> {
  try {
    return (await fetch(`http://${address}/readyz`)).ok;
  } catch {
    return false;
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const over = once(child, 'exit');
  child.kill('SIGTERM');
  await over;
}
