/**
 * One machine: systemd as the first process of a container that `systemd-nspawn` makes, with a root that is on its disk. It
 * can be switched on and off, its power can be cut, and a reboot from within starts whatever its disk says now.
 *
 *     off ──start──> starting ──> up ──────reboots────────> starting ──> …
 *      ^                          │
 *      └──powers off, power cut───┘
 */
import { EventEmitter, once } from 'node:events';
import { chmod, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Container, startContainer } from './container.ts';
import type { Disk } from './disk.ts';
import { LAB_FOLDER } from './os-files.ts';
import { type Ran, tryTool } from './run-tool.ts';

export type MachineOptions = {
  readonly name: string;
  /** Unique on this computer. */
  readonly containerName: string;
  /** For its console. */
  readonly folder: string;
  readonly disk: Disk;
  /** A script: its first process, which hands over to systemd. */
  readonly init: string;
  /** What it sees of this computer, read-only, below `LAB_FOLDER`: names, and paths here. */
  readonly gifts: Readonly<Record<string, string>>;
  /** Of `systemd-nspawn`. */
  readonly flags?: readonly string[];
};

/** Power events, for the replacement of the kubelet. */
export type PowerEvent = { readonly kind: 'up' | 'down'; readonly machine: string; readonly atMs: number };

const REBOOT_EXIT = 133;
const BOOT_LIMIT_MS = 60_000;
const POWER_OFF_LIMIT_MS = 60_000;
const POLL_MS = 100;
const ASK_AGAIN_MS = 2_000;

export class Machine {
  readonly name: string;
  readonly history: PowerEvent[] = [];
  readonly #options: MachineOptions;
  readonly #events = new EventEmitter();
  #container: Container | undefined;
  /** Resolves once it is off. */
  #life: Promise<void> = Promise.resolve();
  #wanted: 'on' | 'off' = 'off';

  constructor(options: MachineOptions) {
    this.#options = options;
    this.name = options.name;
  }

  /** Number of boots so far. */
  get boots(): number {
    return this.history.filter(({ kind }) => kind === 'up').length;
  }

  onPower(listener: (event: PowerEvent) => void): void {
    this.#events.on('power', listener);
  }

  /** Resolves once it is up. */
  async start(): Promise<void> {
    if (this.#wanted === 'on') throw new Error(`${this.name} is on already`);
    this.#wanted = 'on';
    const up = once(this.#events, 'power');
    this.#life = this.#live();
    const ended = this.#life.then(() => {
      throw new Error(`${this.name} went off while it started`);
    });
    // A later call that waits for its end gets the error.
    ended.catch(() => undefined);
    await Promise.race([up, ended]);
  }

  /** Orderly: services are stopped, and the staged deployment is finalized. */
  async powerOff(): Promise<void> {
    const limit = setTimeout(() => this.#kill(), POWER_OFF_LIMIT_MS);
    await this.#untilOff(async () => {
      await this.run(['systemctl', 'poweroff', '--no-block'], { allowsFailure: true });
    });
    clearTimeout(limit);
  }

  /** Kills all processes of the machine at once. It stays off. */
  async cutPower(): Promise<void> {
    await this.#untilOff(async () => this.#kill());
  }

  /** Repeated, as it may be between two boots. */
  async #untilOff(ask: () => Promise<void>): Promise<void> {
    if (this.#wanted === 'off') return;
    this.#wanted = 'off';
    let isOff = false;
    const off = this.#life.finally(() => {
      isOff = true;
    });
    while (!isOff) {
      await ask().catch(() => undefined);
      await Promise.race([off, new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))]);
    }
  }

  #kill(): void {
    if (this.#container === undefined || this.#container.hasEnded()) return;
    try {
      process.kill(this.#container.pid, 'SIGKILL');
    } catch {
      // It has just ended by itself.
    }
  }

  /** Runs a command as root of the machine. */
  async run(command: readonly string[], { allowsFailure = false } = {}): Promise<Ran> {
    const { pid } = this.#running();
    return await tryTool([...entering(pid), ...command], { allowsFailure });
  }

  /** Where its root is on this computer, with everything that is mounted there, while it is up. */
  get root(): string {
    return `/proc/${this.#running().pid}/root`;
  }

  /** A file of the machine's `/var`, also while it is off. */
  async readVar(path: string): Promise<string> {
    const inVar = path.replace(/^\/var\//, '');
    return await readFile(join(this.#options.disk.varFolder, inVar), 'utf8').catch(() => '');
  }

  async console(): Promise<string> {
    return await readFile(this.#consolePath, 'utf8').catch(() => '');
  }

  /** It must be off. */
  async remove(): Promise<void> {
    await rmdir(`/run/systemd/nspawn/propagate/${this.#options.containerName}`).catch(() => undefined);
    await this.#options.disk.remove();
  }

  get #consolePath(): string {
    return join(this.#options.folder, 'console.log');
  }

  #running(): Container {
    if (this.#container === undefined) throw new Error(`${this.name} is off`);
    return this.#container;
  }

  async #live(): Promise<void> {
    for (;;) {
      const container = await this.#boot();
      this.#container = container;
      try {
        await this.#untilUp(container);
        this.#emitPower('up');
      } catch (error) {
        await container.end();
        this.#container = undefined;
        if (this.#wanted === 'off') return;
        this.#wanted = 'off';
        throw error;
      }
      const exitCode = await container.ended;
      this.#container = undefined;
      this.#emitPower('down');
      if (this.#wanted === 'off') return;
      if (exitCode !== REBOOT_EXIT) {
        this.#wanted = 'off';
        throw new Error(`${this.name} powered off unexpectedly with exit code ${exitCode}`);
      }
    }
  }

  #emitPower(kind: PowerEvent['kind']): void {
    const event = { kind, machine: this.name, atMs: Date.now() };
    this.history.push(event);
    this.#events.emit('power', event);
  }

  async #boot(): Promise<Container> {
    const { folder, containerName, gifts, disk, flags = [] } = this.#options;
    const { root, mounts, kernelArguments } = await disk.nextBoot();
    await writeFile(join(folder, 'cmdline'), `${kernelArguments.join(' ')}\n`);
    await writeFile(join(folder, 'init'), this.#options.init);
    await chmod(join(folder, 'init'), 0o755);
    const given = { ...gifts, cmdline: join(folder, 'cmdline'), init: join(folder, 'init') };
    return await startContainer({
      name: containerName,
      hostname: this.name,
      root,
      logPath: this.#consolePath,
      command: [`${LAB_FOLDER}/init`],
      flags: [
        ...flags,
        ...mounts,
        ...Object.entries(given).map(([name, path]) => `--bind-ro=${path}:${LAB_FOLDER}/${name}`),
      ],
    });
  }

  async #untilUp(container: Container): Promise<void> {
    const deadlineMs = Date.now() + BOOT_LIMIT_MS;
    const command = [...entering(container.pid), 'systemctl', 'is-system-running'];
    while (Date.now() < deadlineMs && !container.hasEnded()) {
      const { stdout } = await tryTool(command, { allowsFailure: true }).catch(() => ({ stdout: '' }));
      if (['running', 'degraded', 'starting'].includes(stdout.trim())) return;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    throw new Error(`${this.name} does not come up: ${await this.console()}`);
  }
}

function entering(pid: number): readonly string[] {
  const env = ['env', '-i', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin', 'LANG=C'];
  return ['nsenter', '--target', String(pid), '--all', '--', ...env];
}
