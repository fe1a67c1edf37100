/**
 * The containers of a build pod, in their order:
 *
 *     build-image                context and Containerfile from the pod's volumes, then `buildah bud`
 *     push-image                 `buildah push`: the only one that has the push credentials
 *     create-digest-configmap    the digest of the image, for the build controller
 *
 * On a cluster they run in Millwright's builder image. In the embedded cluster they are child processes, with the volumes of the
 * pod below `MILLWRIGHT_POD_ROOT`. The last line that each prints is the cause of its failure, which Kubernetes keeps as the
 * termination message.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { MachineConfig } from '../api/index.ts';
import { Failure } from '../base/errors.ts';
import {
  BUILD_PATHS,
  budCommand,
  buildRegistriesConf,
  CLUSTER_BUNDLE,
  CONFIG_ARCHIVE,
  CONFIG_FILE,
  configArchive,
  failureLine,
  inspectCommand,
  isDigest,
  osImageProblem,
  parseLabels,
  parseRegistryAlias,
  plainHttpHosts,
  pushCommand,
  type RegistryAlias,
  reachableReference,
  reportDigest,
  TRUST_BUNDLE,
  traceLine,
  unpackedConfig,
  userNamespaceCommand,
} from '../images/index.ts';
import type { Kube } from '../kubernetes/client/index.ts';
import { writeTrust } from './build-trust-node.ts';
import { endProcessTree, isInstalled, isolated } from './isolated-processes-node.ts';

export type BuildProcess = {
  readonly environment: { readonly [name: string]: string | undefined };
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
};

/** Lines of a failed command that are searched for the cause. */
const MAX_LINES = 500;

export async function buildImage(process: BuildProcess): Promise<void> {
  const paths = pathsOf(process);
  const context = paths.of(`${BUILD_PATHS.home}/context`);
  await writeContext(paths, context);
  const tag = required(process, 'TAG');
  const place = await placeOf(process, paths, 'BASE_IMAGE_PULL_CREDS');
  const command = budCommand({
    ...place,
    context,
    containerfile: join(context, 'Containerfile'),
    tag,
    proxy: proxyOf(process),
    mounts: await mountsOf(process, paths),
  });
  await run(process, paths, command, 'building');
  const inspected: string[] = [];
  await run(
    { ...process, print: (line) => inspected.push(line) },
    paths,
    inspectCommand({ ...place, tag }),
    'building',
  );
  // Without the line that traces the command.
  const problem = osImageProblem(inspected.slice(1).join('\n'));
  if (problem !== undefined) throw new Failure('stalled', 'NoOsImage', problem);
}

export async function pushImage(process: BuildProcess): Promise<void> {
  const paths = pathsOf(process);
  const place = await placeOf(process, paths, 'FINAL_IMAGE_PUSH_CREDS');
  const digestFile = join(paths.of(BUILD_PATHS.done), 'digestfile');
  await mkdir(dirname(digestFile), { recursive: true });
  const tag = required(process, 'TAG');
  const destination = reachableReference(tag, aliasOf(process));
  await run(process, paths, pushCommand({ ...place, tag, destination, digestFile }), 'pushing');
}

/** The last container: with the identity of its pod. */
export async function reportPushedDigest(
  process: BuildProcess,
  { kube, namespace }: { readonly kube: Kube; readonly namespace: string },
): Promise<void> {
  const configMap = required(process, 'DIGEST_CONFIGMAP_NAME');
  const jobUid = required(process, 'JOB_UID');
  const tag = required(process, 'TAG');
  const labels = parseLabels(process.environment.DIGEST_CONFIGMAP_LABELS ?? '');
  if (labels.kind === 'invalid') {
    throw new Failure('usage', 'BadLabels', labels.problems[0]?.message ?? 'parse labels');
  }
  const digest = await readDigest(process);
  await reportDigest(kube, { namespace, configMap, digest, jobUid, tag, labels: labels.value });
  process.print(`ConfigMap ${configMap} has the digest ${digest}`);
}

/** What the push wrote. */
async function readDigest(process: BuildProcess): Promise<string> {
  const file = join(pathsOf(process).of(BUILD_PATHS.done), 'digestfile');
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new Failure('stalled', 'NoDigest', `read digestfile: ${error.message}`);
  });
  const digest = text.trim();
  if (digest === '')
    throw new Failure('stalled', 'NoDigest', `digestfile "${BUILD_PATHS.done}/digestfile" is empty`);
  if (!isDigest(digest))
    throw new Failure('stalled', 'NoDigest', `digestfile "${BUILD_PATHS.done}/digestfile" has no digest`);
  return digest;
}

type Paths = { readonly of: (path: string) => string };

function pathsOf({ environment }: BuildProcess): Paths {
  const root = environment.MILLWRIGHT_POD_ROOT ?? '';
  return { of: (path) => (root === '' ? path : join(root, path)) };
}

function required({ environment }: BuildProcess, name: string): string {
  const value = environment[name] ?? '';
  if (value === '')
    throw new Failure(
      'usage',
      'NoEnvironment',
      `environment variable ${name} is not set: this runs in a build pod`,
    );
  return value;
}

async function writeContext(paths: Paths, context: string): Promise<void> {
  await rm(context, { recursive: true, force: true });
  await mkdir(join(context, 'machineconfig'), { recursive: true });
  await mkdir(dirname(join(context, TRUST_BUNDLE)), { recursive: true });
  await copyFile(join(paths.of(BUILD_PATHS.containerfile), 'Containerfile'), join(context, 'Containerfile'));
  const packed = await readFile(join(paths.of(BUILD_PATHS.machineConfig), 'machineconfig.json.gz'), 'utf8');
  await writeFile(join(context, CONFIG_FILE), packed);
  const rendered: MachineConfig = unpackedConfig(packed);
  await writeFile(join(context, CONFIG_ARCHIVE), configArchive(rendered));
  const bundle = join(paths.of(BUILD_PATHS.trustBundle), CLUSTER_BUNDLE);
  if (await exists(bundle)) await copyFile(bundle, join(context, TRUST_BUNDLE));
}

async function placeOf(process: BuildProcess, paths: Paths, credentials: string) {
  const policy = paths.of(BUILD_PATHS.policy);
  const storage = paths.of(`${BUILD_PATHS.home}/.local/share/containers`);
  return {
    storage: join(storage, 'storage'),
    runRoot: join(storage, 'run'),
    context: '',
    containerfile: '',
    authFile: paths.of(required(process, credentials)),
    ...((await exists(policy)) ? { policy } : {}),
  };
}

/** The mirrors of the pool, and access to registries that this machine reaches in another way. */
async function writeRegistriesConf(process: BuildProcess, paths: Paths): Promise<string | undefined> {
  const rendered = await readText(paths.of(BUILD_PATHS.registries));
  const containerfile = await readText(join(paths.of(BUILD_PATHS.containerfile), 'Containerfile'));
  const bases = [...(containerfile ?? '').matchAll(/^FROM\s+(\S+)/gim)].map(([, image = '']) => image);
  const alias = aliasOf(process);
  const text = buildRegistriesConf(rendered, {
    plainHttp: plainHttpHosts([required(process, 'TAG'), ...bases]),
    ...(alias === undefined ? {} : { alias }),
  });
  if (text === undefined) return undefined;
  const path = paths.of(`${BUILD_PATHS.home}/registries.conf`);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

/** In the embedded cluster, whose registry has a name that only its nodes know. */
function aliasOf({ environment }: BuildProcess): RegistryAlias | undefined {
  return parseRegistryAlias(environment.MILLWRIGHT_REGISTRY_ALIAS ?? '');
}

function proxyOf({ environment }: BuildProcess): { readonly [name: string]: string } {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'];
  return Object.fromEntries(names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
}

/** Copies: `RUN` steps may write to them, and volumes of Secrets are read-only. */
async function mountsOf({ environment }: BuildProcess, paths: Paths) {
  const names = [
    'ETC_PKI_ENTITLEMENT_MOUNTPOINT',
    'ETC_YUM_REPOS_D_MOUNTPOINT',
    'ETC_PKI_RPM_GPG_MOUNTPOINT',
  ];
  const mounts: { readonly from: string; readonly to: string }[] = [];
  for (const name of names) {
    const to = environment[name] ?? '';
    if (to === '') continue;
    const from = paths.of(`${BUILD_PATHS.home}/mounts${to}`);
    await mkdir(from, { recursive: true });
    for (const entry of await readdir(paths.of(to), { withFileTypes: true })) {
      // Volumes of ConfigMaps and Secrets hold links to a folder whose name begins with two dots.
      if (!entry.name.startsWith('..'))
        await copyFile(join(paths.of(to), entry.name), join(from, entry.name));
    }
    mounts.push({ from, to });
  }
  return mounts;
}

async function run(
  process: BuildProcess,
  paths: Paths,
  command: readonly string[],
  stage: 'building' | 'pushing',
): Promise<void> {
  const { print, signal, environment } = process;
  print(traceLine(command));
  const registries = await writeRegistriesConf(process, paths);
  // In the volume with the storage, as copies of layers may be large.
  const temporary = paths.of(`${BUILD_PATHS.home}/.local/share/containers/tmp`);
  await mkdir(temporary, { recursive: true, mode: 0o700 });
  const lines: string[] = [];
  const env = {
    PATH: environment.PATH,
    HOME: paths.of(BUILD_PATHS.home),
    TMPDIR: temporary,
    XDG_RUNTIME_DIR: environment.XDG_RUNTIME_DIR,
    BUILDAH_ISOLATION: 'chroot',
    ...(registries === undefined ? {} : { CONTAINERS_REGISTRIES_CONF: registries }),
    ...(await writeTrust(paths.of(BUILD_PATHS.trustBundle), paths.of(BUILD_PATHS.home))),
    ...proxyOf(process),
  };
  const [program = ''] = command;
  if (!(await isInstalled(program, env))) throw new Failure('stalled', 'NoBuildah', NO_BUILDAH);
  const result = await runBuildah(await isolated(command, userNamespaceCommand(command), env), {
    env,
    signal,
    onLine: (line) => {
      print(line);
      lines.push(line);
      if (lines.length > MAX_LINES) lines.shift();
    },
  });
  if (signal.aborted) throw new Failure('cancelled', 'Stopped', `${stage} the image was stopped`);
  if (result !== 0) throw new Failure('stalled', 'BuildFailed', failureLine(stage, lines));
}

type Buildah = {
  readonly env: { readonly [name: string]: string | undefined };
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
};

/** Its exit code, or the signal that ended it. */
async function runBuildah(
  [program = '', ...args]: readonly string[],
  { env, signal, onLine }: Buildah,
): Promise<number | string> {
  if (signal.aborted) return 'SIGKILL';
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', onLine);
  const stop = () => {
    if (child.pid !== undefined) void endProcessTree(child.pid);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signalName) => resolve(code ?? signalName ?? 'unknown'));
    });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

const NO_BUILDAH =
  "buildah is not installed on this machine: OS images are built with it (Debian's and Fedora's package is called buildah)";

async function exists(path: string): Promise<boolean> {
  return await access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
}

async function readText(path: string): Promise<string | undefined> {
  return (await exists(path)) ? await readFile(path, 'utf8') : undefined;
}
