/**
 * `rpm-ostree` of a sandbox: pulls images from a real registry, and manages staged, booted and rollback deployments.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Random } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import { canonicalJson } from '../../base/json.ts';
import type {
  Deployment,
  HostFiles,
  HostOs,
  ImageTree,
  KernelArgumentChange,
  PackageChange,
  PulledImage,
  PullImage,
} from '../../node/host/index.ts';
import {
  commandFailure,
  kernelArgumentsArgs,
  linkCredentials,
  ostreeStatus,
  type PrintedDeployment,
  packagesArgs,
  readDeployedRelease,
  readFips,
  readOsRelease,
} from '../../node/host/index.ts';
import { packageDiff, parsePackage } from './package-diff.ts';
import { dropUnused, keepImage, readImage } from './sandbox-boot.ts';
import type { SandboxDeployment, SandboxState, StateStore } from './sandbox-state.ts';

type SandboxOsOptions = {
  readonly store: StateStore;
  readonly files: HostFiles;
  readonly random: Pick<Random, 'uuid'>;
  readonly pullImage: PullImage;
  /** Waits for the simulated duration. */
  readonly takeTime: (what: 'pull' | 'stage') => Promise<void>;
  readonly log: (line: string) => void;
};

/** The package list of a sandbox image, one per line: a name, or NAME-VERSION-RELEASE.ARCH. */
const PACKAGE_LIST = '/usr/lib/sysimage/packages';
const EXTENSIONS = '/usr/share/rpm-ostree/extensions/';

export function createSandboxOs(options: SandboxOsOptions): HostOs {
  const { store, files, log } = options;
  const session = new OstreeSession(options);
  return {
    release: () => readOsRelease(files),
    deployments: async () => printed(await store.read()).map(asDeployment),
    async stagedRelease() {
      const { staged } = await store.read();
      if (staged === undefined) return undefined;
      const tree = await readImage(store.disk, staged);
      return await readDeployedRelease({ read: async (path) => fileIn(tree, path) }, '');
    },
    status: async (options) => ostreeStatus(printed(await store.read()), options),
    kernelArguments: async () => nextOf(await store.read()).kernelArguments,
    isLocal: async (image) => (await store.read()).localImages.includes(image),
    rebase: (image) => session.rebase(image),
    changeKernelArguments: (change) => session.changeKernelArguments(change),
    changePackages: (change) => session.changePackages(change),
    openExtensions: (image) => session.openExtensions(image),
    installed: async (packages) => {
      const there = await installedPackages(options);
      return packages.filter((name) => there.has(name));
    },
    dropPending: () => session.drop('staged', '-p'),
    dropRollback: () => session.drop('rollback', '-r'),
    updateBootloader: async () => undefined,
    isFips: () => readFips(files),
    finalizeFailure: async () => (await store.read()).finalizeFailure,
    async linkCredentials() {
      log(`Linking rpm-ostree authfile to ${await linkCredentials(files, '/run/ostree/auth.json')}`);
    },
  };
}

class OstreeSession {
  readonly #options: SandboxOsOptions;
  #transaction: string | undefined;
  #extensions: ImageTree[] = [];

  constructor(options: SandboxOsOptions) {
    this.#options = options;
  }

  async rebase(image: string): Promise<void> {
    const { store } = this.#options;
    const isLocal = (await store.read()).localImages.includes(image);
    const reference = referenceOf({ image, isLocal });
    await this.#run(['rebase', '--experimental', reference], async (state, fail) => {
      if (referenceOf(nextOf(state)) === reference) {
        return fail(`error: Old and new refs are equal: ${reference}\n`);
      }
      const pulled = await this.#pull(image, (why) =>
        fail(`error: Creating importer: ${INVOKE}${INVOKE}${why}\n`),
      );
      await keepImage(store, pulled);
      const { digest, version, createdAt = EPOCH } = pulled;
      return { ...nextOf(state), image, isLocal, digest, version, timestamp: createdAt };
    });
  }

  async changeKernelArguments(change: KernelArgumentChange): Promise<void> {
    await this.#run(['kargs', ...kernelArgumentsArgs(change)], async (state) => {
      const next = nextOf(state);
      const kernelArguments = [...next.kernelArguments];
      for (const one of change.remove) {
        const at = kernelArguments.indexOf(one);
        if (at >= 0) kernelArguments.splice(at, 1);
      }
      kernelArguments.push(...change.append);
      return { ...next, kernelArguments };
    });
  }

  async changePackages(change: PackageChange): Promise<void> {
    const { install = [], uninstall = [], remove = [], reset = [] } = change;
    await this.#run(packagesArgs(change), async (state, fail) => {
      const next = nextOf(state);
      const missing = install.filter((name) => !this.#isAvailable(name));
      if (missing.length > 0) return fail(`error: Packages not found: ${missing.join(', ')}\n`);
      const unknown = uninstall.find((name) => !next.layeredPackages.includes(name));
      if (unknown !== undefined) {
        return fail(`error: Package/capability '${unknown}' is not currently requested\n`);
      }
      return {
        ...next,
        layeredPackages: changed(next.layeredPackages, { add: install, take: uninstall }),
        removedPackages: changed(next.removedPackages, { add: remove, take: reset }),
      };
    });
  }

  async openExtensions(image: string): Promise<() => Promise<void>> {
    const args = ['-c', '3', 'podman', 'pull', '-q', '--authfile', '/var/lib/kubelet/config.json', image];
    const { tree } = await this.#pull(image, (why) => {
      throw commandFailure({
        command: 'nice',
        args: ['--', 'ionice', ...args],
        stderr: `Error: initializing source docker://${image}: ${why}\n`,
        exitCode: 125,
      });
    });
    this.#extensions.push(tree);
    return async () => {
      this.#extensions = this.#extensions.filter((one) => one !== tree);
    };
  }

  async drop(which: 'staged' | 'rollback', flag: string): Promise<void> {
    const { store } = this.#options;
    await this.#alone(['cleanup', flag], async (state) => {
      if (state[which] === undefined) return;
      const { [which]: _, ...rest } = state;
      await store.write(rest);
      await dropUnused(store, rest);
    });
  }

  #isAvailable(name: string): boolean {
    return this.#extensions.some((tree) =>
      [...tree.keys()].some((path) => {
        const file = path.startsWith(EXTENSIONS) ? path.slice(path.lastIndexOf('/') + 1) : '';
        return (
          file === `${name}.rpm` || (file.startsWith(`${name}-`) && /^\d/.test(file.slice(name.length + 1)))
        );
      }),
    );
  }

  async #pull(image: string, fail: (why: string) => never): Promise<PulledImage> {
    const { pullImage, takeTime, log } = this.#options;
    log(`Pulling manifest: ${referenceOf({ image, isLocal: false })}`);
    try {
      const pulled = await pullImage(image);
      await takeTime('pull');
      return pulled;
    } catch (error) {
      if (error instanceof Failure && error.kind !== 'cancelled') return fail(error.message);
      throw error;
    }
  }

  /** Runs a command that computes the next deployment, and stages it if it differs. */
  async #run(
    args: readonly string[],
    change: (state: SandboxState, fail: Fail) => Promise<SandboxDeployment>,
  ): Promise<void> {
    const { store, random, takeTime, log } = this.#options;
    await this.#alone(args, async (state, fail) => {
      const next = await change(state, fail);
      if (canonicalJson(next) === canonicalJson(nextOf(state))) return log('No changes.');
      await takeTime('stage');
      log('Staging deployment...done');
      const { diff: _, ...staged } = next;
      const diff = await diffOf(store, { from: state.booted, to: staged });
      const written = {
        ...state,
        staged: { ...staged, id: random.uuid(), ...(diff === undefined ? {} : { diff }) },
      };
      await store.write(written);
      await dropUnused(store, written);
    });
  }

  async #alone(
    args: readonly string[],
    act: (state: SandboxState, fail: Fail) => Promise<void>,
  ): Promise<void> {
    const fail = failing(args);
    if (this.#transaction !== undefined)
      return fail(`error: Transaction in progress: ${this.#transaction}\n`);
    this.#transaction = args[0];
    try {
      this.#options.log(`Running: rpm-ostree ${args.join(' ')}`);
      await act(await this.#options.store.read(), fail);
    } finally {
      this.#transaction = undefined;
    }
  }
}

type Fail = (stderr: string) => never;

function failing(args: readonly string[]): Fail {
  return (stderr) => {
    throw commandFailure({ command: 'rpm-ostree', args, stderr, exitCode: 1 });
  };
}

/** The error prefix of ostree's container proxy. */
const INVOKE = 'failed to invoke method OpenImage: ';
const EPOCH = '1970-01-01T00:00:00Z';

function nextOf({ staged, booted }: SandboxState): SandboxDeployment {
  return staged ?? booted;
}

function referenceOf({ image, isLocal }: Pick<SandboxDeployment, 'image' | 'isLocal'>): string {
  if (image === '') return '';
  return isLocal
    ? `ostree-unverified-image:containers-storage:${image}`
    : `ostree-unverified-registry:${image}`;
}

/** In boot order. */
export function printed(state: SandboxState): readonly PrintedDeployment[] {
  const { staged, booted, rollback } = state;
  return [staged, booted, rollback].flatMap((one) => {
    if (one === undefined) return [];
    const { image, digest, version, timestamp, layeredPackages, removedPackages, diff } = one;
    const isBooted = one === booted;
    const content = canonicalJson({ digest, layeredPackages, removedPackages });
    return [
      {
        isBooted,
        isStaged: one === staged,
        image,
        digest,
        version,
        timestamp,
        layeredPackages,
        removedPackages,
        commit: bytesToHex(sha256(utf8ToBytes(content))),
        reference: referenceOf(one),
        ...(one === staged && diff !== undefined ? { diff } : {}),
      },
    ];
  });
}

function asDeployment(printedOne: PrintedDeployment): Deployment {
  const { reference: _, timestamp: _time, diff: _diff, ...deployment } = printedOne;
  return deployment;
}

async function installedPackages({ store, files }: SandboxOsOptions): Promise<ReadonlySet<string>> {
  const { booted } = await store.read();
  const base = packageLines(await files.read(PACKAGE_LIST)).map((line) => parsePackage(line).name);
  return new Set(changed(base, { add: booted.layeredPackages, take: booted.removedPackages }));
}

type Deployments = { readonly from: SandboxDeployment; readonly to: Omit<SandboxDeployment, 'id'> };

async function diffOf({ disk }: StateStore, { from, to }: Deployments): Promise<string | undefined> {
  const packagesOf = async ({ digest, layeredPackages, removedPackages }: Deployments['to']) => {
    const all = packageLines(fileIn(await readImage(disk, { digest }), PACKAGE_LIST));
    const kept = all.filter((line) => !removedPackages.includes(parsePackage(line).name));
    return [...kept, ...layeredPackages];
  };
  return packageDiff(await packagesOf(from), await packagesOf(to));
}

function packageLines(bytes: Uint8Array | undefined): readonly string[] {
  return new TextDecoder()
    .decode(bytes)
    .split('\n')
    .filter((line) => line !== '');
}

type Change = { readonly add: readonly string[]; readonly take: readonly string[] };

function changed(names: readonly string[], { add, take }: Change): readonly string[] {
  const kept = names.filter((name) => !take.includes(name));
  return [...kept, ...add.filter((name) => !kept.includes(name))];
}

/** Links between files of /usr are relative. */
function fileIn(tree: ImageTree, path: string): Uint8Array | undefined {
  let at = path;
  for (let links = 0; links < MAX_LINKS; links++) {
    const entry = tree.get(at);
    if (entry?.kind === 'file') return entry.bytes;
    if (entry?.kind !== 'link') return undefined;
    at = new URL(entry.target, `file://${at}`).pathname;
  }
  return undefined;
}

const MAX_LINKS = 8;
