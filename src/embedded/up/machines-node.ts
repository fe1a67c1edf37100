/**
 * The machines of the embedded cluster: sandboxes, each in a folder of its own.
 *
 *     DIR/<name>/rootfs      the root of the machine
 *     DIR/<name>/installed   written last when it was installed; without it the installation begins anew
 *
 * A machine that was up when this process ended, however it did, goes on without a boot; one that was down boots.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Env } from '../../base/env.ts';
import { assert, Failure } from '../../base/errors.ts';
import { compareBytes } from '../../base/json.ts';
import { initialAnnotations, writeInitialConfig } from '../../node/daemon/index.ts';
import type { Host, PullImage } from '../../node/host/index.ts';
import type { NodeConfig } from '../../node/plan/index.ts';
import type { Boot, NodePower } from '../controllers/index.ts';
import { createDirectoryDisk } from '../sandbox/directory-node.ts';
import { createSandboxMachine, INSTALLER_ARGUMENTS, type SandboxMachine } from '../sandbox/index.ts';
import { isMachineName, type MachineName, type MachineRole, machineRole } from './machine-names.ts';

type MachinesOptions = {
  readonly env: Env;
  readonly folder: string;
  readonly speed: number;
  readonly names: readonly MachineName[];
  /** How a machine gets the images that it boots: through its own mirrors once it has a host. */
  readonly pull: (name: string, host: () => Host | undefined) => PullImage;
  /** The config that a new machine is installed with. Waits until there is one. */
  readonly firstConfig: (role: string) => Promise<NodeConfig>;
  /** What machines say of the commands that run on them. */
  readonly say: (name: string, line: string) => void;
  /** A machine is there. */
  readonly onReady: (name: string, how: 'installed' | 'resumed') => void;
};

/** The machines that have a folder there, whether or not they are installed. */
export function foldersOfMachines(folder: string): readonly MachineName[] {
  return existsSync(folder) ? readdirSync(folder).filter(isMachineName).toSorted(compareBytes) : [];
}

const MARK = 'installed';

function markOf(folder: string, name: string): string {
  return join(folder, name, MARK);
}

export class Machines implements NodePower {
  readonly #options: MachinesOptions;
  readonly #machines = new Map<string, SandboxMachine>();
  /** Of those that are up and have said what they are. */
  readonly #boots = new Map<string, Boot>();
  readonly #listeners: ((name: string) => void)[] = [];

  constructor(options: MachinesOptions) {
    this.#options = options;
  }

  /**
   * Resolves once all machines are up; rejects where one cannot be used. The control plane comes first: whatever looks for
   * a place looks there.
   */
  async start(): Promise<void> {
    const prepared = (['master', 'worker'] as const).map((role) => this.#prepareRole(role));
    // Each is waited for below; one that fails earlier than that must not end the process.
    for (const one of prepared) one.catch(() => undefined);
    for (const ofRole of prepared) {
      await Promise.all((await ofRole).map((one) => this.#bringUp(one)));
    }
  }

  /** New machines of a role are alike: one is installed, and the others are copies of its disk. */
  async #prepareRole(role: MachineRole): Promise<readonly Prepared[]> {
    const names = this.#options.names.filter((name) => machineRole(name) === role);
    const isNew = (name: string) => !existsSync(markOf(this.#options.folder, name));
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

  boot(name: string): Boot {
    const boot = this.#boots.get(name);
    assert(boot !== undefined, 'only a machine that is up is asked what it has booted');
    return boot;
  }

  /** Undefined for one that is down. */
  bootIdOf(name: string): string | undefined {
    return this.isUp(name) ? this.#boots.get(name)?.bootID : undefined;
  }

  machine(name: string): SandboxMachine | undefined {
    return this.#machines.get(name);
  }

  onChange(listener: (name: string) => void): void {
    this.#listeners.push(listener);
  }

  /** None where nobody waits for it any more. */
  async #prepare(name: MachineName, how: Preparation): Promise<readonly Prepared[]> {
    const { folder, env, speed, say, pull } = this.#options;
    const own = join(folder, name);
    const prepared = await this.#using(name, async () => {
      mkdirSync(own, { recursive: true, mode: 0o700 });
      if (typeof how === 'object') await copyMachine(join(folder, how.copyOf), own);
      const disk = createDirectoryDisk({ folder: own, random: env.random });
      const machine: SandboxMachine = createSandboxMachine({
        ...{ disk, clock: env.clock, random: env.random, speed },
        pullImage: pull(name, () => (machine.isUp ? machine.host : undefined)),
        say: (line) => say(name, line),
      });
      if (how === 'install') await this.#install(name, machine);
      if (how !== 'use') writeFileSync(markOf(folder, name), '');
      return { name, machine, wasInstalled: how === 'use' };
    });
    return prepared === undefined ? [] : [prepared];
  }

  async #bringUp({ name, machine, wasInstalled }: Prepared): Promise<void> {
    machine.onPower((event) => {
      if (event.kind === 'up') this.#note(name, machine).catch((error: unknown) => this.#silent(name, error));
      else this.#lose(name);
      if (event.kind === 'stuck') this.#stuck(name, event.problem);
    });
    this.#machines.set(name, machine);
    const isUp = await this.#using(name, async () => {
      await machine.resume();
      await this.#note(name, machine);
      return true;
    });
    if (isUp === true) this.#options.onReady(name, wasInstalled ? 'resumed' : 'installed');
  }

  async #using<T>(name: MachineName, action: () => Promise<T>): Promise<T | undefined> {
    const { env, folder } = this.#options;
    try {
      return await action();
    } catch (error) {
      if (env.signal.aborted) return undefined;
      const why = error instanceof Error ? error.message : String(error);
      const message = `the machine ${name} in ${join(folder, name)} cannot be used: ${why}`;
      throw new Failure('stalled', 'MachineUnusable', message, error);
    }
  }

  /** As an installer does it: the OS of its pool's config, then the config, then the first boot of both. */
  async #install(name: MachineName, machine: SandboxMachine): Promise<void> {
    const config = await this.#options.firstConfig(machineRole(name) ?? '');
    const kernelArguments = [...INSTALLER_ARGUMENTS, ...config.kernelArguments];
    await machine.provision({ image: config.osImage, kernelArguments });
    await machine.boot();
    await writeInitialConfig(machine.host, config, initialAnnotations(config));
    await machine.shutDown();
  }

  /** What it has booted can be asked of it only while it is up. */
  async #note(name: string, machine: SandboxMachine): Promise<void> {
    try {
      const { host } = machine;
      const [bootID, osImage] = [await host.bootId(), await prettyName(host)];
      if (!machine.isUp || this.#boots.get(name)?.bootID === bootID) return;
      this.#boots.set(name, { bootID, ...(osImage === undefined ? {} : { osImage }) });
      this.#tell(name);
    } catch (error) {
      // It went down again; it is asked anew when it is back.
      if (!machine.isUp) return;
      throw error;
    }
  }

  #silent(node: string, error: unknown): void {
    this.#options.env.log.error('a machine does not say what it has booted', { node, error: String(error) });
  }

  #stuck(node: string, problem: string): void {
    this.#options.env.log.error('a machine does not come up', { node, problem });
  }

  #lose(name: string): void {
    this.#boots.delete(name);
    this.#tell(name);
  }

  #tell(name: string): void {
    for (const listener of this.#listeners) listener(name);
  }
}

type Preparation = 'install' | 'use' | { readonly copyOf: string };

type Prepared = {
  readonly name: MachineName;
  readonly machine: SandboxMachine;
  readonly wasInstalled: boolean;
};

/** Of a machine that is down. What an earlier start left half done is in nobody's way. */
async function copyMachine(from: string, to: string): Promise<void> {
  rmSync(to, { recursive: true, force: true });
  await cp(from, to, {
    ...{ recursive: true, verbatimSymlinks: true },
    // A copy counts as installed only once it is whole.
    filter: (path) => path !== join(from, MARK),
  });
}

const MAX_RELEASE_BYTES = 64 * 1024;

async function prettyName(host: Host): Promise<string | undefined> {
  const bytes = await host.files.read('/usr/lib/os-release', MAX_RELEASE_BYTES);
  return /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(new TextDecoder().decode(bytes ?? new Uint8Array()))?.[1];
}
