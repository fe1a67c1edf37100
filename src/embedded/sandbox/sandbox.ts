/**
 * A machine without a machine: the behaviour of an image-based Linux, modelled on a disk in memory or in a directory.
 *
 * On the disk `/rootfs` is the root of the machine, and `/machine` is what a machine has besides: the state of its OS,
 * the files of its images. Everything that must survive lies there, so that a sandbox goes on after a crash of whoever
 * runs it, and after power cuts, just as a machine would.
 *
 * What takes a while on a real machine takes a while here, divided by the speed.
 */
import type { Clock, Random } from '../../base/env.ts';
import { assert, Failure } from '../../base/errors.ts';
import { quoted } from '../../base/text/index.ts';
import type { Disk, Host, HostFiles, PullImage } from '../../node/host/index.ts';
import { createHostFiles, ostreeStatusJson, readBootId } from '../../node/host/index.ts';
import { DiskGate } from './disk-gate.ts';
import { createSandboxAccounts } from './sandbox-accounts.ts';
import { bootSystem, finalizeStaged, installImage } from './sandbox-boot.ts';
import { createSandboxOs, printed } from './sandbox-os.ts';
import { ServiceBook, type ServiceState, startedState, wantedUnits } from './sandbox-services.ts';
import { ROOT, type SandboxState, StateStore } from './sandbox-state.ts';
import { createSandboxUnits } from './sandbox-units.ts';

type SandboxOptions = {
  /** With `cutPower` and `restorePower` where the disk knows of power. */
  readonly disk: Disk & { cutPower?(): void; restorePower?(): void };
  readonly clock: Clock;
  readonly random: Random;
  readonly pullImage: PullImage;
  /** Divides the durations. */
  readonly speed?: number;
  readonly durations?: Partial<SandboxDurations>;
  /** What the log of whoever acts on the machine shows of commands and their output. */
  readonly say?: (line: string) => void;
};

export type SandboxDurations = {
  readonly bootMs: number;
  readonly shutDownMs: number;
  readonly pullMs: number;
  readonly stageMs: number;
};

const DEFAULT_DURATIONS: SandboxDurations = {
  bootMs: 20_000,
  shutDownMs: 5_000,
  pullMs: 10_000,
  stageMs: 5_000,
};

export type PowerEvent =
  | { readonly kind: 'down'; readonly why: 'reboot' | 'shut down' | 'power cut' }
  | { readonly kind: 'up'; readonly bootId: string }
  /** It was to come up, and did not. */
  | { readonly kind: 'stuck'; readonly problem: string };

/** What is to go wrong, as long as it stands here. */
type SandboxFaults = {
  /** Names of units whose start and reload fail. */
  readonly failingUnits: Set<string>;
  isRebootRefused: boolean;
  /** A machine that goes down stays down until somebody boots it. */
  isBootStuck: boolean;
  /** What the next shutdown says instead of finishing the staged OS: `error: …`. */
  finalizeProblem: string | undefined;
};

type Provisioning = { readonly image: string; readonly kernelArguments?: readonly string[] };

export interface SandboxMachine {
  /** Of this boot: after the next one it answers no more. Asked of a machine that is up. */
  readonly host: Host;
  readonly isUp: boolean;
  readonly faults: SandboxFaults;
  /** Installs an OS where there is none yet. The machine is down then. */
  provision(what: Provisioning): Promise<void>;
  boot(): Promise<void>;
  /** Goes on after the process that ran it ended: up without a boot if it was up then. */
  resume(): Promise<void>;
  /** In good order: what is staged is what boots next. */
  shutDown(): Promise<void>;
  /** What is staged is lost, and so is what was not synced. */
  cutPower(): void;
  onPower(listener: (event: PowerEvent) => void): () => void;
  services(): Promise<readonly ServiceState[]>;
  /** What was written to the machine's journal, the last lines. */
  readonly journal: readonly string[];
  /** Puts an image into the machine's container storage. */
  addLocalImage(image: string): Promise<void>;
  /** `rpm-ostree status --json`. */
  statusJson(): Promise<string>;
}

export function createSandboxMachine(options: SandboxOptions): SandboxMachine {
  return new Sandbox(options);
}

const MAX_JOURNAL_LINES = 1_000;
/** What the installer of such an OS gives, whatever a config adds. */
export const INSTALLER_ARGUMENTS: readonly string[] = [
  'rw',
  'console=ttyS0,115200n8',
  'ignition.platform.id=metal',
];
const EPOCH = '1970-01-01T00:00:00Z';

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
  #running: { readonly host: Host; readonly gate: DiskGate } | undefined;
  #isRebootQueued: boolean = false;
  /** Tells one run of the machine from the next. */
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
    assert(!this.isUp, 'a machine is booted that is down');
    this.#options.disk.restorePower?.();
    this.#boots += 1;
    const state = await bootSystem(this.#store, this.#options.random);
    await this.#startServices();
    this.#open();
    this.#tell({ kind: 'up', bootId: state.bootId });
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
    this.#tell({ kind: 'up', bootId: state.bootId });
  }

  async shutDown(): Promise<void> {
    await this.#goDown('shut down');
  }

  cutPower(): void {
    const running = this.#running;
    this.#running = undefined;
    this.#boots += 1;
    this.#options.disk.cutPower?.();
    // Nothing waits for what was under way: it is cut off as well.
    running?.gate.close().catch(() => undefined);
    this.#tell({ kind: 'down', why: 'power cut' });
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
    this.#isRebootQueued = false;
    this.#running = { gate, host: this.#hostOver(gate.disk) };
  }

  #hostOver(disk: Disk): Host {
    const { random, pullImage, say = nothing } = this.#options;
    const store = new StateStore({ disk, random });
    const files = this.#filesOn(disk);
    const takeTime = (what: 'pull' | 'stage') => this.#takeTime(what === 'pull' ? 'pullMs' : 'stageMs');
    const isFailing = (unit: string) => this.faults.failingUnits.has(unit);
    return {
      files,
      units: createSandboxUnits({
        files,
        services: new ServiceBook(store, { disk, random }),
        isFailing,
        say,
      }),
      os: createSandboxOs({ store, files, random, pullImage, takeTime, say }),
      accounts: createSandboxAccounts(files),
      bootId: () => readBootId(files),
      reboot: async (rationale) => this.#queueReboot(rationale),
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
      // A power cut may have been quicker.
      if (this.#running !== running) return;
      this.#reboot().catch((error: unknown) => this.#tell({ kind: 'stuck', problem: String(error) }));
    });
  }

  async #reboot(): Promise<void> {
    const boots = this.#boots;
    await this.#goDown('reboot');
    if (this.faults.isBootStuck) return this.#tell({ kind: 'stuck', problem: 'the machine does not boot' });
    await this.#takeTime('bootMs');
    // Somebody may have pulled the plug meanwhile, or pressed the button.
    if (this.#boots === boots) await this.boot();
  }

  async #goDown(why: 'reboot' | 'shut down'): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    this.#tell({ kind: 'down', why });
    await running.gate.close();
    await finalizeStaged(this.#store, this.faults.finalizeProblem);
    this.faults.finalizeProblem = undefined;
  }

  #note(text: string): void {
    this.#journal.push(quoted(text));
    if (this.#journal.length > MAX_JOURNAL_LINES) this.#journal.shift();
  }

  #tell(event: PowerEvent): void {
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
    return (durations[what] ?? DEFAULT_DURATIONS[what]) / speed;
  }
}

/** All of /usr is of the OS, except where /usr leads elsewhere. Defaults for /etc are told apart by `HostFiles`. */
function isPackaged(path: string): boolean {
  return path.startsWith('/usr/') && !path.startsWith('/usr/local/');
}

function nothing(): void {}
