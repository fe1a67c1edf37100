/**
 * A sandbox machine: a model of an image-based Linux over a disk in memory or in a directory.
 *
 * On the disk, `/rootfs` is the root file system of the machine, and `/machine` holds the state of its OS and the files of
 * its images. All persistent state is there, so that a sandbox survives crashes of its process and power cuts.
 *
 * Durations are simulated, divided by the speed.
 */
import type { Clock, Random } from '../../base/env.ts';
import { assert, Failure } from '../../base/errors.ts';
import { quoted } from '../../base/text/index.ts';
import type { Disk, Host, HostFiles, PullImage } from '../../node/host/index.ts';
import { createHostFiles, ostreeStatusJson, readBootId } from '../../node/host/index.ts';
import { DiskGate } from './disk-gate.ts';
import { readOnlyBelow } from './read-only-disk.ts';
import { createSandboxAccounts } from './sandbox-accounts.ts';
import { bootSystem, finalizeStaged, installImage } from './sandbox-boot.ts';
import { type ContainerImages, createSandboxImages } from './sandbox-images.ts';
import { createSandboxOs, printed, type TransactionLock } from './sandbox-os.ts';
import { ServiceBook, type ServiceState, startedState, wantedUnits } from './sandbox-services.ts';
import { ROOT, type SandboxState, StateStore } from './sandbox-state.ts';
import { createSandboxUnits } from './sandbox-units.ts';

type SandboxOptions = {
  /** With `cutPower` and `restorePower` if the disk simulates power. */
  readonly disk: Disk & { cutPower?(): void; restorePower?(): void };
  readonly clock: Clock;
  readonly random: Random;
  readonly pullImage: PullImage;
  /** Where the container runtime pulls images from; by default from nowhere. */
  readonly containers?: ContainerImages;
  /** Divides simulated durations. */
  readonly speed?: number;
  readonly durations?: Partial<SandboxDurations>;
  /** Logs commands and their output. */
  readonly log?: (line: string) => void;
};

export type SandboxDurations = {
  readonly bootMs: number;
  readonly shutDownMs: number;
  readonly pullMs: number;
  readonly stageMs: number;
};

/** At speed 1. */
export const SANDBOX_DURATIONS: SandboxDurations = {
  bootMs: 20_000,
  shutDownMs: 5_000,
  pullMs: 10_000,
  stageMs: 5_000,
};

export type PowerEvent =
  | { readonly kind: 'down'; readonly why: 'reboot' | 'shut down' | 'power cut' }
  | { readonly kind: 'up'; readonly bootId: string }
  /** It failed to boot. */
  | { readonly kind: 'stuck'; readonly problem: string };

/** Injected faults. */
type SandboxFaults = {
  /** Names of units whose start and reload fail. */
  readonly failingUnits: Set<string>;
  isRebootRefused: boolean;
  /** The machine stays down after a shutdown until `boot`. */
  isBootStuck: boolean;
  /** The error of the next finalization of a staged OS: `error: …`. */
  finalizeProblem: string | undefined;
};

type Provisioning = { readonly image: string; readonly kernelArguments?: readonly string[] };

export interface SandboxMachine {
  /** Valid during this boot only. Requires that the machine is up. */
  readonly host: Host;
  readonly isUp: boolean;
  /** As `host`, for somebody who is logged in and sees the output of commands. */
  hostWithLog(log: (line: string) => void): Host;
  readonly faults: SandboxFaults;
  /** Installs the OS. The machine is down afterwards. */
  provision(what: Provisioning): Promise<void>;
  boot(): Promise<void>;
  /** Continues after a restart of the process: without a boot if it was up. */
  resume(): Promise<void>;
  /** Orderly: a staged deployment is finalized. */
  shutDown(): Promise<void>;
  /** Loses the staged deployment and unsynced writes. */
  cutPower(): void;
  onPower(listener: (event: PowerEvent) => void): () => void;
  services(): Promise<readonly ServiceState[]>;
  /** The last lines of the journal. */
  readonly journal: readonly string[];
  /** Adds an image to local container storage. */
  addLocalImage(image: string): Promise<void>;
  /** `rpm-ostree status --json`. */
  statusJson(): Promise<string>;
}

export function createSandboxMachine(options: SandboxOptions): SandboxMachine {
  return new Sandbox(options);
}

const MAX_JOURNAL_LINES = 1_000;
/** Kernel arguments set by the installer. */
export const INSTALLER_ARGUMENTS: readonly string[] = [
  'rw',
  'console=ttyS0,115200n8',
  'ignition.platform.id=metal',
];
const EPOCH = '1970-01-01T00:00:00Z';

const NO_REGISTRY: ContainerImages = {
  withImage: (image) =>
    Promise.reject(
      new Failure('stalled', 'Unreachable', `pinging container registry of ${image}: no route to host`),
    ),
};

class Sandbox implements SandboxMachine {
  readonly #options: SandboxOptions;
  readonly #store: StateStore;
  readonly #services: ServiceBook;
  readonly #listeners = new Set<(event: PowerEvent) => void>();
  readonly #journal: string[] = [];
  readonly faults: SandboxFaults = {
    failingUnits: new Set(),
    isRebootRefused: false,
    isBootStuck: false,
    finalizeProblem: undefined,
  };
  #running: { readonly host: Host; readonly gate: DiskGate; readonly lock: TransactionLock } | undefined;
  #isRebootQueued: boolean = false;
  /** Identifies the current run of the machine. */
  #boots = 0;

  constructor(options: SandboxOptions) {
    this.#options = options;
    this.#store = new StateStore(options);
    this.#services = new ServiceBook(this.#store, options);
  }

  get host(): Host {
    if (this.#running === undefined) throw new Failure('cancelled', 'MachineIsDown', 'the machine is down');
    return this.#running.host;
  }

  hostWithLog(log: (line: string) => void): Host {
    if (this.#running === undefined) throw new Failure('cancelled', 'MachineIsDown', 'the machine is down');
    const { gate, lock } = this.#running;
    return this.#hostOver(gate.disk, lock, log);
  }

  get isUp(): boolean {
    return this.#running !== undefined;
  }

  get journal(): readonly string[] {
    return this.#journal;
  }

  async provision({ image, kernelArguments = INSTALLER_ARGUMENTS }: Provisioning): Promise<void> {
    if ((await this.#store.find()) !== undefined) return;
    const { pullImage, random } = this.#options;
    const pulled = await pullImage(image);
    const { digest, version, createdAt = EPOCH } = pulled;
    const packages = { layeredPackages: [], removedPackages: [] };
    const booted = { id: random.uuid(), image, isLocal: false, digest, version, ...packages };
    const state: SandboxState = {
      bootId: '',
      booted: { ...booted, timestamp: createdAt, kernelArguments },
      localImages: [],
      isDown: true,
    };
    await installImage(this.#store, { image: pulled, state });
  }

  async boot(): Promise<void> {
    assert(!this.isUp, 'only a machine that is down can boot');
    this.#options.disk.restorePower?.();
    this.#boots += 1;
    const state = await bootSystem(this.#store, this.#options.random);
    await this.#startServices();
    this.#open();
    this.#notify({ kind: 'up', bootId: state.bootId });
  }

  async #startServices(): Promise<void> {
    const files = this.#filesOn(this.#options.disk);
    const wanted = await wantedUnits(files);
    await this.#services.replace(
      wanted.map(({ name, unit }) => {
        const isFailing = this.faults.failingUnits.has(name);
        return { name, state: startedState(unit, isFailing), starts: 1, reloads: 0 };
      }),
    );
  }

  #filesOn(disk: Disk): HostFiles {
    const { random } = this.#options;
    return createHostFiles({ disk, root: ROOT, random, isPackaged: async (path) => isPackaged(path) });
  }

  async resume(): Promise<void> {
    const state = await this.#store.read();
    if (state.isDown === true || state.finalized !== undefined || state.bootId === '')
      return await this.boot();
    this.#options.disk.restorePower?.();
    this.#open();
    this.#notify({ kind: 'up', bootId: state.bootId });
  }

  async shutDown(): Promise<void> {
    await this.#goDown('shut down');
  }

  cutPower(): void {
    const running = this.#running;
    this.#running = undefined;
    this.#boots += 1;
    this.#options.disk.cutPower?.();
    // Operations in progress are cut off too.
    running?.gate.close().catch(() => undefined);
    this.#notify({ kind: 'down', why: 'power cut' });
  }

  onPower(listener: (event: PowerEvent) => void): () => void {
    const one = (event: PowerEvent) => listener(event);
    this.#listeners.add(one);
    return () => {
      this.#listeners.delete(one);
    };
  }

  async services(): Promise<readonly ServiceState[]> {
    return await this.#services.all();
  }

  async addLocalImage(image: string): Promise<void> {
    const state = await this.#store.read();
    await this.#store.write({ ...state, localImages: [...new Set([...state.localImages, image])] });
  }

  async statusJson(): Promise<string> {
    return ostreeStatusJson(printed(await this.#store.read()));
  }

  #open(): void {
    const gate = new DiskGate(this.#options.disk);
    const lock: TransactionLock = { command: undefined };
    this.#isRebootQueued = false;
    this.#running = { gate, lock, host: this.#hostOver(gate.disk, lock, this.#options.log ?? nothing) };
  }

  #hostOver(disk: Disk, lock: TransactionLock, log: (line: string) => void): Host {
    const { random, pullImage } = this.#options;
    const store = new StateStore({ disk, random });
    // The OS replaces /usr as a whole, at boot; nothing else may change it.
    const files = this.#filesOn(readOnlyBelow(disk, `${ROOT}/usr`));
    const takeTime = (what: 'pull' | 'stage') => this.#takeTime(what === 'pull' ? 'pullMs' : 'stageMs');
    const isFailing = (unit: string) => this.faults.failingUnits.has(unit);
    const units = createSandboxUnits({
      files,
      services: new ServiceBook(store, { disk, random }),
      isFailing,
      log,
    });
    const { containers = NO_REGISTRY } = this.#options;
    return {
      files,
      units,
      images: createSandboxImages({ files, units, disk, containers, log }),
      os: createSandboxOs({ store, files, random, pullImage, takeTime, lock, log }),
      accounts: createSandboxAccounts(files),
      bootId: () => readBootId(files),
      reboot: async (rationale) => this.#queueReboot(rationale),
      // There are no programs that could be run.
      checkSshd: async () => undefined,
      note: async (text) => this.#note(text),
    };
  }

  #queueReboot(rationale: string): void {
    if (this.faults.isRebootRefused) {
      const message = 'reboot command failed, something is seriously wrong';
      throw new Failure('transient', 'RebootFailed', message);
    }
    this.#note(`machine-config-daemon: ${rationale}`);
    if (this.#isRebootQueued) return;
    this.#isRebootQueued = true;
    const running = this.#running;
    this.#options.clock.after(this.#duration('shutDownMs'), () => {
      // The power may have been cut meanwhile.
      if (this.#running !== running) return;
      this.#reboot().catch((error: unknown) => this.#notify({ kind: 'stuck', problem: String(error) }));
    });
  }

  async #reboot(): Promise<void> {
    const boots = this.#boots;
    await this.#goDown('reboot');
    if (this.faults.isBootStuck) return this.#notify({ kind: 'stuck', problem: 'the machine does not boot' });
    await this.#takeTime('bootMs');
    // The machine may have been powered off or booted meanwhile.
    if (this.#boots === boots) await this.boot();
  }

  async #goDown(why: 'reboot' | 'shut down'): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    this.#notify({ kind: 'down', why });
    await running.gate.close();
    await finalizeStaged(this.#store, this.faults.finalizeProblem);
    this.faults.finalizeProblem = undefined;
  }

  #note(text: string): void {
    this.#journal.push(quoted(text));
    if (this.#journal.length > MAX_JOURNAL_LINES) this.#journal.shift();
  }

  #notify(event: PowerEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  async #takeTime(what: keyof SandboxDurations): Promise<void> {
    const delayMs = this.#duration(what);
    if (delayMs <= 0) return;
    await new Promise<void>((resolve) => {
      this.#options.clock.after(delayMs, resolve);
    });
  }

  #duration(what: keyof SandboxDurations): number {
    const { durations = {}, speed = 1 } = this.#options;
    return (durations[what] ?? SANDBOX_DURATIONS[what]) / speed;
  }
}

/** Everything in /usr belongs to the OS, except symlinks out of it. `HostFiles` detects defaults of /etc. */
function isPackaged(path: string): boolean {
  return path.startsWith('/usr/') && !path.startsWith('/usr/local/');
}

function nothing(): void {}
