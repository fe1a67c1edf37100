/** The programs of a real Kubernetes and of its nodes: taken from a folder, or built once from their modules. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Unavailable } from '../oracle/oracle.ts';
import { builtOnce, goProgram } from '../support/go-programs.ts';

export type ProgramName =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kubectl'
  | 'kubelet';

/** The path of a program that can be started. */
export async function findProgram(name: ProgramName): Promise<string | Unavailable> {
  return (await givenProgram(name)) ?? (await cachedProgram(name));
}

/** Where a folder is named, nothing is built. */
async function givenProgram(name: string): Promise<string | Unavailable | undefined> {
  const folder = process.env.MILLWRIGHT_KUBERNETES_BIN;
  if (folder === undefined) return undefined;
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

const packages: Readonly<Record<ProgramName, string>> = {
  etcd: 'go.etcd.io/etcd/server/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
  kubelet: 'k8s.io/kubernetes/cmd/kubelet',
};

async function cachedProgram(name: ProgramName): Promise<string | Unavailable> {
  const pins = await readFile(join(sourceDirectory, 'go.mod'), 'utf8');
  return goProgram({
    name,
    cache: 'kubernetes',
    folder: sourceDirectory,
    package: packages[name],
    flags: buildFlags(pins),
    env: { CGO_ENABLED: '0' },
  });
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

/** The container engine of the nodes, and the small program in C with which it makes namespaces. */
export type CrioProgramName = 'crio' | 'pinns';

/** Both need `gcc`, CRI-O also the headers of libseccomp. */
export async function findCrioProgram(name: CrioProgramName): Promise<string | Unavailable> {
  const given = await givenProgram(name);
  if (given !== undefined) return given;
  const missing = await missingForCrio();
  if (missing !== undefined) return { unavailable: missing };
  return name === 'crio' ? builtCrio() : builtPinns();
}

function builtCrio(): Promise<string | Unavailable> {
  return goProgram({
    ...CRIO,
    name: 'crio',
    package: `${CRIO_MODULE}/cmd/crio`,
    flags: ['-trimpath', '-buildvcs=false', `-tags=${CRIO_TAGS.join(',')}`, '-ldflags=-s -w'],
    env: { CGO_ENABLED: '1' },
  });
}

function builtPinns(): Promise<string | Unavailable> {
  const flags = ['-std=c99', '-Os', '-Wall', '-static'];
  return builtOnce({ ...CRIO, name: 'pinns', flags }, async (path) => {
    // The folder of a module has no name before it is there.
    await run('go', ['mod', 'download', CRIO_MODULE], { cwd: CRIO.folder });
    const where = await run('go', ['list', '-m', '-f', '{{.Dir}}', CRIO_MODULE], { cwd: CRIO.folder });
    const sources = ['pinns.c', 'sysctl.c'].map((file) => join(where.stdout.trim(), 'pinns/src', file));
    await run('gcc', [...flags, '-o', path, ...sources]);
  });
}

const CRIO_MODULE = 'github.com/cri-o/cri-o';
const CRIO = { cache: 'crio', folder: join(sourceDirectory, 'crio') };
/** Without the drivers whose libraries it does not need here. */
const CRIO_TAGS = [
  'containers_image_openpgp',
  'containers_image_ostree_stub',
  'exclude_graphdriver_btrfs',
  'exclude_graphdriver_devicemapper',
  'seccomp',
];

async function missingForCrio(): Promise<string | undefined> {
  const works = (program: string, ...args: readonly string[]) =>
    run(program, args).then(
      () => true,
      () => false,
    );
  if (!(await works('gcc', '--version'))) return 'gcc, which builds CRI-O, is not installed';
  if (!(await works('pkg-config', '--exists', 'libseccomp')))
    return 'the headers of libseccomp (libseccomp-dev, pkg-config) are not installed';
  return undefined;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
