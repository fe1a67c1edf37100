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
  fetchArgs,
  fetchText,
  kernelArgumentsArgs,
  linkCredentials,
  ostreeStatus,
  type PrintedDeployment,
  packagesArgs,
  readDeployedRelease,
  readFips,
  readOsRelease,
  rebaseArgs,
  refuseToSetKernelArguments,
} from '../../node/host/index.ts';
import { packageDiff, parsePackage } from './package-diff.ts';
import { dropUnused, keepImage, readImage } from './sandbox-boot.ts';
import type { FetchedImage, SandboxDeployment, SandboxState, StateStore } from './sandbox-state.ts';

type SandboxOsOptions = {
  readonly store: StateStore;
  readonly files: HostFiles;
  readonly random: Pick<Random, 'uuid'>;
  readonly pullImage: PullImage;
  /** Waits for the simulated duration. */
  readonly takeTime: (what: 'pull' | 'stage') => Promise<void>;
  readonly lock: TransactionLock;
  readonly log: (line: string) => void;
};

/** `rpm-ostree` runs one command at a time, whoever calls it. */
export type TransactionLock = { command: string | undefined };

/** The package list of a sandbox image, one per line: a name, or NAME-VERSION-RELEASE.ARCH. */
const PACKAGE_LIST = '/usr/lib/sysimage/packages';
const EXTENSIONS = '/usr/share/rpm-ostree/extensions/';
const CREDENTIALS = '/run/ostree/auth.json';

export function createSandboxOs(options: SandboxOsOptions): HostOs {
  const { store, files } = options;
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
    isInImage: (file) => isInImage(store, file),
    fetch: (image, signal) => session.fetch(image, signal),
    dropFetched: () => session.dropFetched(),
    rebase: (image) => session.rebase(image),
    changeKernelArguments: (change) => session.changeKernelArguments(change),
    kernelArgumentsProblem: async () => undefined,
    setKernelArguments: refuseToSetKernelArguments,
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
  };
}

async function isInImage(
  store: StateStore,
  { image, path }: { readonly image: string; readonly path: string },
): Promise<boolean | undefined> {
  const { booted, staged, rollback, fetched = [] } = await store.read();
  const kept = [...fetched, staged, booted, rollback].find((one) => one?.image === image);
  return kept === undefined ? undefined : (await readImage(store.disk, kept)).has(path);
}

class OstreeSession {
  readonly #options: SandboxOsOptions;
  #extensions: ImageTree[] = [];

  constructor(options: SandboxOsOptions) {
    this.#options = options;
  }

  async rebase(image: string): Promise<void> {
    const { store, log } = this.#options;
    const isLocal = (await store.read()).localImages.includes(image);
    const reference = referenceOf({ image, isLocal });
    await this.#introduce();
    log(`Executing rebase to ${image}`);
    await this.#run(rebaseArgs(reference), async (state, fail) => {
      if (referenceOf(nextOf(state)) === reference) {
        return fail(`error: Old and new refs are equal: ${reference}\n`);
      }
      return { ...nextOf(state), isLocal, ...(await this.#import(state, image, { fail })) };
    });
  }

  async fetch(image: string, signal: AbortSignal): Promise<void> {
    const { store, log } = this.#options;
    const { booted, staged, rollback, localImages } = await store.read();
    const isDeployed = [booted, staged, rollback].some((deployment) => deployment?.image === image);
    if (isDeployed || localImages.includes(image)) return;
    await this.#introduce();
    log(fetchText(image));
    await this.#alone(fetchArgs(referenceOf({ image, isLocal: false })), async (state, fail) => {
      const imported = await this.#import(state, image, { fail, signal });
      const others = (state.fetched ?? []).filter((one) => one.image !== image);
      await store.write({ ...state, fetched: [...others, imported] });
    });
  }

  async dropFetched(): Promise<void> {
    const { store } = this.#options;
    await this.#alone(['cleanup', '-b'], async ({ fetched: _, ...state }) => {
      await store.write(state);
      await dropUnused(store, state);
    });
  }

  /** The lines that upstream's daemon logs before every pull. */
  async #introduce(): Promise<void> {
    const { files, log } = this.#options;
    log('Running captured: rpm-ostree --version');
    log(`Linking rpm-ostree authfile to ${await linkCredentials(files, CREDENTIALS)}`);
  }

  /** Keeps the files of an image, where they are not kept already. */
  async #import(
    { fetched = [] }: SandboxState,
    image: string,
    { fail, signal }: { readonly fail: Fail; readonly signal?: AbortSignal },
  ): Promise<FetchedImage> {
    const { store, log } = this.#options;
    log(`Pulling manifest: ${referenceOf({ image, isLocal: false })}`);
    const kept = fetched.find((one) => one.image === image);
    if (kept !== undefined) return kept;
    const refuse = (why: string) => fail(`error: Creating importer: ${INVOKE}${INVOKE}${why}\n`);
    const pulled = await unlessAborted(this.#pull(image, refuse), signal);
    await keepImage(store, pulled);
    const { digest, version, createdAt = EPOCH } = pulled;
    return { image, digest, version, timestamp: createdAt };
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
    const { pullImage, takeTime } = this.#options;
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
    const { lock } = this.#options;
    if (lock.command !== undefined) return fail(`error: Transaction in progress: ${lock.command}\n`);
    lock.command = args[0];
    try {
      this.#options.log(`Running: rpm-ostree ${args.join(' ')}`);
      await act(await this.#options.store.read(), fail);
    } finally {
      lock.command = undefined;
    }
  }
}

/** Rejects with the signal. What the work returns later is ignored. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  const stopped = new Failure('cancelled', 'Stopped', 'rpm-ostree was stopped');
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(stopped);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop);
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
