/**
 * The machines of the embedded cluster: sandboxes, each with its own directory.
 *
 *     DIR/<name>/rootfs      the root file system
 *     DIR/<name>/installed   marks a completed installation; without it the machine is installed again
 *     DIR/<name>/joins       the pool for which the machine joins through the machine config server; others are installed directly
 *
 * A machine that was up when the process ended continues without a boot; one that was down boots.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Env } from '../../base/env.ts';
import { assert, Failure } from '../../base/errors.ts';
import { compareBytes } from '../../base/json.ts';
import { initialAnnotations, writeInitialConfig } from '../../node/daemon/index.ts';
import type { Host, PullImage } from '../../node/host/index.ts';
import type { NodeConfig } from '../../node/plan/index.ts';
import type { BootInfo, MachineState } from '../controllers/index.ts';
import { createDirectoryDisk } from '../sandbox/directory-node.ts';
import {
  type ContainerImages,
  createSandboxMachine,
  INSTALLER_ARGUMENTS,
  type SandboxMachine,
} from '../sandbox/index.ts';
import { isMachineName, type MachineName, type MachineRole, machineRole } from './machine-names.ts';

type MachinesOptions = {
  readonly env: Env;
  readonly directory: string;
  readonly speed: number;
  readonly names: readonly MachineName[];
  /** Pulls OS images: through the mirrors of the machine once it has a host. */
  readonly pull: (name: string, host: () => Host | undefined) => PullImage;
  /** Where the container runtime of a machine pulls from. */
  readonly containers: (host: () => Host | undefined) => ContainerImages;
  /** The config for the installation of a new machine. Waits until there is one. */
  readonly firstConfig: (role: string) => Promise<NodeConfig>;
  /** Installs a machine that joins, as a platform and Ignition do. Waits for what it needs. Afterwards it is down. */
  readonly firstBoot: (machine: SandboxMachine, joining: JoiningMachine) => Promise<void>;
  /** Receives the output of machines. */
  readonly log: (name: string, line: string) => void;
  /** A machine is up. */
  readonly onReady: (name: string, how: 'installed' | 'resumed') => void;
};

type JoiningMachine = {
  readonly name: string;
  readonly pool: string;
  readonly report: (line: string) => void;
};

/** The machines with a directory, whether or not they are installed. */
export function machineDirectories(directory: string): readonly MachineName[] {
  return existsSync(directory) ? readdirSync(directory).filter(isMachineName).toSorted(compareBytes) : [];
}

const MARK = 'installed';
const JOINS = 'joins';

function markOf(directory: string, name: string): string {
  return join(directory, name, MARK);
}

export class Machines implements MachineState {
  readonly #options: MachinesOptions;
  readonly #machines = new Map<string, SandboxMachine>();
  /** Machines that are up and whose boot is known. */
  readonly #boots = new Map<string, BootInfo>();
  readonly #joining = new Set<string>();
  readonly #listeners: ((name: string) => void)[] = [];

  constructor(options: MachinesOptions) {
    this.#options = options;
  }

  /**
   * Resolves once all machines are up; rejects if one cannot be used. The control plane comes first, since most pods run
   * there.
   */
  async start(): Promise<void> {
    const prepared = (['master', 'worker'] as const).map((role) => this.#prepareRole(role));
    // Awaited below; an earlier rejection must not be reported as unhandled.
    for (const one of prepared) one.catch(() => undefined);
    for (const ofRole of prepared) {
      await Promise.all((await ofRole).map((one) => this.#bringUp(one)));
    }
    for (const name of this.#options.names.filter((one) => this.#poolToJoin(one) !== undefined)) {
      const { log } = this.#options.env;
      const report = (step: string) => log.info('a machine joins', { node: name, step });
      // Not awaited: it needs the machine config server, which runs on the others.
      this.#join(name, report).catch((error: unknown) =>
        log.error('a machine cannot join; it is tried again at the next start', {
          node: name,
          error: String(error),
        }),
      );
    }
  }

  /**
   * Adds a machine that joins through the machine config server, and resolves once it is up. A process that ends meanwhile
   * continues at the next start.
   */
  async add(name: MachineName, { pool, report }: Omit<JoiningMachine, 'name'>): Promise<void> {
    const { directory } = this.#options;
    const draft = join(directory, `.${name}.new`);
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { mode: 0o700 });
    writeFileSync(join(draft, JOINS), pool);
    // At once: without the file, the next start would install it like the first machines.
    renameSync(draft, join(directory, name));
    await this.#join(name, report);
  }

  /** Whether it is being installed. */
  isJoining(name: string): boolean {
    return this.#joining.has(name);
  }

  /** For good. Also a machine that is rebooting stays down. */
  async switchOff(name: MachineName): Promise<void> {
    const machine = this.#machines.get(name);
    this.#machines.delete(name);
    if (machine?.isUp === true) await machine.shutDown();
    else machine?.cutPower();
    this.#recordDown(name);
  }

  /** Deletes the directory of a machine that is off. */
  remove(name: MachineName): void {
    const { directory } = this.#options;
    const gone = join(directory, `.${name}.gone`);
    rmSync(gone, { recursive: true, force: true });
    // At once: half a directory would be a machine that cannot be used.
    if (existsSync(join(directory, name))) renameSync(join(directory, name), gone);
    rmSync(gone, { recursive: true, force: true });
  }

  /** Undefined for a machine that is installed, or that does not join. */
  #poolToJoin(name: string): string | undefined {
    const { directory } = this.#options;
    const path = join(directory, name, JOINS);
    return existsSync(markOf(directory, name)) || !existsSync(path) ? undefined : readFileSync(path, 'utf8');
  }

  async #join(name: MachineName, report: (line: string) => void): Promise<void> {
    const own = join(this.#options.directory, name);
    // What an earlier process left half done.
    for (const entry of readdirSync(own)) {
      if (entry !== JOINS) rmSync(join(own, entry), { recursive: true, force: true });
    }
    const joining = { name, report, pool: this.#poolToJoin(name) ?? '' };
    this.#joining.add(name);
    try {
      for (const prepared of await this.#prepare(name, { joining })) await this.#bringUp(prepared);
    } finally {
      this.#joining.delete(name);
    }
  }

  /** New machines of a role are identical: one is installed, and the others are copies of its disk. */
  async #prepareRole(role: MachineRole): Promise<readonly Prepared[]> {
    const names = this.#options.names.filter(
      (name) => machineRole(name) === role && this.#poolToJoin(name) === undefined,
    );
    const isNew = (name: string) => !existsSync(markOf(this.#options.directory, name));
    const [model, ...copies] = names.filter(isNew);
    const first = model === undefined ? [] : await this.#prepare(model, 'install');
    const others = await Promise.all(
      names
        .filter((name) => name !== model)
        .map((name) => this.#prepare(name, copies.includes(name) ? { copyOf: model ?? '' } : 'use')),
    );
    return [...first, ...others.flat()];
  }

  isUp(name: string): boolean {
    return this.#boots.has(name) && this.#machines.get(name)?.isUp === true;
  }

  boot(name: string): BootInfo {
    const boot = this.#boots.get(name);
    assert(boot !== undefined, 'the boot of a machine is read only while it is up');
    return boot;
  }

  /** Undefined if it is down. */
  bootIdOf(name: string): string | undefined {
    return this.isUp(name) ? this.#boots.get(name)?.bootID : undefined;
  }

  machine(name: string): SandboxMachine | undefined {
    return this.#machines.get(name);
  }

  onChange(listener: (name: string) => void): void {
    this.#listeners.push(listener);
  }

  /** Empty if stopped meanwhile. */
  async #prepare(name: MachineName, how: Preparation): Promise<readonly Prepared[]> {
    const { directory, env, speed, log, pull, containers } = this.#options;
    const own = join(directory, name);
    const prepared = await this.#using(name, async () => {
      mkdirSync(own, { recursive: true, mode: 0o700 });
      if (typeof how === 'object' && 'copyOf' in how) await copyMachine(join(directory, how.copyOf), own);
      const disk = createDirectoryDisk({ folder: own, random: env.random });
      const machine: SandboxMachine = createSandboxMachine({
        disk,
        clock: env.clock,
        random: env.random,
        speed,
        pullImage: pull(name, () => (machine.isUp ? machine.host : undefined)),
        containers: containers(() => (machine.isUp ? machine.host : undefined)),
        log: (line) => log(name, line),
      });
      if (how === 'install') await this.#install(name, machine);
      if (typeof how === 'object' && 'joining' in how) await this.#options.firstBoot(machine, how.joining);
      if (how !== 'use') writeFileSync(markOf(directory, name), '');
      return { name, machine, wasInstalled: how === 'use' };
    });
    return prepared === undefined ? [] : [prepared];
  }

  async #bringUp({ name, machine, wasInstalled }: Prepared): Promise<void> {
    machine.onPower((event) => {
      if (event.kind === 'up')
        this.#recordBoot(name, machine).catch((error: unknown) => this.#reportUnknownBoot(name, error));
      else this.#recordDown(name);
      if (event.kind === 'stuck') this.#reportStuck(name, event.problem);
    });
    this.#machines.set(name, machine);
    const isUp = await this.#using(name, async () => {
      await machine.resume();
      await this.#recordBoot(name, machine);
      return true;
    });
    if (isUp === true) this.#options.onReady(name, wasInstalled ? 'resumed' : 'installed');
  }

  async #using<T>(name: MachineName, action: () => Promise<T>): Promise<T | undefined> {
    const { env, directory } = this.#options;
    try {
      return await action();
    } catch (error) {
      if (env.signal.aborted) return undefined;
      const why = error instanceof Error ? error.message : String(error);
      const message = `the machine ${name} in ${join(directory, name)} cannot be used: ${why}`;
      throw new Failure('stalled', 'MachineUnusable', message, error);
    }
  }

  /** Like an installer: provisions the OS image, boots it, and writes the first config. */
  async #install(name: MachineName, machine: SandboxMachine): Promise<void> {
    const config = await this.#options.firstConfig(machineRole(name) ?? '');
    const kernelArguments = [...INSTALLER_ARGUMENTS, ...config.kernelArguments];
    await machine.provision({ image: config.osImage, kernelArguments });
    await machine.boot();
    await writeInitialConfig(
      { host: machine.host, env: this.#options.env },
      config,
      initialAnnotations(config),
    );
    await machine.shutDown();
  }

  /** The boot can be read only while the machine is up. */
  async #recordBoot(name: string, machine: SandboxMachine): Promise<void> {
    try {
      const { host } = machine;
      const [bootID, osImage] = [await host.bootId(), await prettyName(host)];
      if (!machine.isUp || this.#boots.get(name)?.bootID === bootID) return;
      this.#boots.set(name, { bootID, ...(osImage === undefined ? {} : { osImage }) });
      this.#notify(name);
    } catch (error) {
      // It went down again; the next boot is read when it is back up.
      if (!machine.isUp) return;
      throw error;
    }
  }

  #reportUnknownBoot(node: string, error: unknown): void {
    this.#options.env.log.error('cannot read the boot of a machine', { node, error: String(error) });
  }

  #reportStuck(node: string, problem: string): void {
    this.#options.env.log.error('a machine does not boot', { node, problem });
  }

  #recordDown(name: string): void {
    this.#boots.delete(name);
    this.#notify(name);
  }

  #notify(name: string): void {
    for (const listener of this.#listeners) listener(name);
  }
}

type Preparation = 'install' | 'use' | { readonly copyOf: string } | { readonly joining: JoiningMachine };

type Prepared = {
  readonly name: MachineName;
  readonly machine: SandboxMachine;
  readonly wasInstalled: boolean;
};

/** The source must be down. Replaces an incomplete earlier copy. */
async function copyMachine(from: string, to: string): Promise<void> {
  rmSync(to, { recursive: true, force: true });
  await cp(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    // The copy is marked as installed only once it is complete.
    filter: (path) => path !== join(from, MARK),
  });
}

const MAX_RELEASE_BYTES = 64 * 1024;

async function prettyName(host: Host): Promise<string | undefined> {
  const bytes = await host.files.read('/usr/lib/os-release', MAX_RELEASE_BYTES);
  return /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(new TextDecoder().decode(bytes ?? new Uint8Array()))?.[1];
}
