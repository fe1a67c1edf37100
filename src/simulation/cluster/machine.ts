/**
 * A machine of a simulation: a sandbox over a disk in memory, with the real daemon as a process that ends with each boot.
 */
import type { Random } from '../../base/env.ts';
import { serviceAccountUser } from '../../embedded/rbac/index.ts';
import {
  createMemoryDisk,
  createSandboxMachine,
  INSTALLER_ARGUMENTS,
  type MemoryDisk,
  type PlannedCut,
  type SandboxDurations,
  type SandboxMachine,
} from '../../embedded/sandbox/index.ts';
import { DaemonMetrics, initialAnnotations, writeInitialConfig } from '../../node/daemon/index.ts';
import type { Host } from '../../node/host/index.ts';
import type { NodeConfig } from '../../node/plan/index.ts';
import { runDaemon } from '../../processes/daemon-process.ts';
import { gatedHost } from '../process/gated-host.ts';
import { SupervisedProcess } from '../process/supervised-process.ts';
import { between, randomOf } from '../seeded-random.ts';
import type { Ground } from './ground.ts';
import { FIRST_OS } from './os-images.ts';

export type MachineTimes = { -readonly [name in keyof SandboxDurations]: SandboxDurations[name] };

/** The daemon asks its machine to reboot. */
type RebootListener = (name: string) => void;

type MachineOptions = {
  readonly ground: Ground;
  readonly name: string;
  readonly times: MachineTimes;
  readonly onReboot: RebootListener;
};

/** How often a machine looks whether a planned power cut has happened. */
const CUT_POLL_MS = 500;

export class SimulatedMachine {
  readonly name: string;
  readonly disk: MemoryDisk = createMemoryDisk();
  readonly sandbox: SandboxMachine;
  readonly daemon: SupervisedProcess;
  /** May be changed: a slow machine. */
  readonly times: MachineTimes;
  readonly #ground: Ground;
  readonly #random: Random;
  readonly #onReboot: RebootListener;
  #isInstalled: boolean = false;
  #isGone: boolean = false;
  #powerListeners: ((isUp: boolean) => void)[] = [];

  constructor({ ground, name, times, onReboot }: MachineOptions) {
    const { clock, seed, trace, network, registry, namespace, daemonSettings, isImageMode } = ground;
    this.name = name;
    this.times = times;
    this.#ground = ground;
    this.#random = randomOf(seed, 'machine', name);
    this.#onReboot = onReboot;
    this.sandbox = createSandboxMachine({
      disk: this.disk,
      clock,
      random: randomOf(seed, 'sandbox', name),
      durations: times,
      pullImage: (reference) => (this.#isInstalled ? registry.pull : registry.medium)(reference),
    });
    this.daemon = new SupervisedProcess({
      ...{ name: `daemon/${name}`, seed, clock, trace, restartMs: RESTART_MS, onBug: ground.onBug },
      connect: (gate, random) =>
        network.link({ actor: `daemon/${name}`, user: daemonUser(name, namespace), gate, random }),
      run: ({ env, transport, gate }) =>
        runDaemon({
          ...{ env, transport, version: VERSION, namespace, nodeName: name, architecture: 'amd64' },
          host: this.#watched(gatedHost(this.sandbox.host, gate, this.#hostDelay())),
          settings: daemonSettings,
          ...(isImageMode ? { featureGates: { imageModeStatusReporting: true } } : {}),
          metrics: new DaemonMetrics(),
        }),
    });
    this.sandbox.onPower(({ kind }) => this.#onPower(kind === 'up'));
  }

  /** With the OS of new machines, or with all that a config says; and up. */
  async install(config?: NodeConfig): Promise<void> {
    const kernelArguments = [...INSTALLER_ARGUMENTS, ...(config?.kernelArguments ?? [])];
    await this.sandbox.provision({ image: config?.osImage || FIRST_OS, kernelArguments });
    this.#isInstalled = true;
    await this.sandbox.boot();
    if (config === undefined) return;
    const context = { host: this.sandbox.host, env: { clock: this.#ground.clock } };
    await writeInitialConfig(context, config, initialAnnotations(config));
    // Its services start with the next boot.
    await this.sandbox.shutDown();
    await this.sandbox.boot();
  }

  get isUp(): boolean {
    return this.sandbox.isUp && !this.#isGone;
  }

  onPower(listener: (isUp: boolean) => void): void {
    this.#powerListeners.push(listener);
  }

  cutPower(offMs: number): void {
    if (!this.sandbox.isUp) return;
    this.disk.cutPower(this.#random);
    this.sandbox.cutPower();
    this.#ground.clock.after(offMs, () => this.boot());
  }

  /** At a write of the disk, where one comes within the limit. */
  planCut(cut: Omit<PlannedCut, 'remains'>, { limitMs, offMs }: { limitMs: number; offMs: number }): void {
    this.disk.planCut({ ...cut, remains: this.#random });
    const { clock } = this.#ground;
    const untilMs = clock.monotonic() + limitMs;
    const look = (): void => {
      if (!this.disk.isOn && this.sandbox.isUp) {
        this.sandbox.cutPower();
        clock.after(offMs, () => this.boot());
      } else if (this.disk.isOn && clock.monotonic() < untilMs) clock.after(CUT_POLL_MS, look);
      else this.disk.planCut(undefined);
    };
    look();
  }

  /** Where it is down and nobody else boots it. */
  boot(): void {
    if (this.#isGone || this.sandbox.isUp) return;
    this.sandbox.boot().catch((error: unknown) => {
      this.#ground.trace.add(`${this.name} does not boot: ${String(error)}`);
      this.#ground.clock.after(RETRY_BOOT_MS, () => this.boot());
    });
  }

  /** For good. */
  remove(): void {
    this.#isGone = true;
    this.daemon.end();
    if (this.sandbox.isUp) this.sandbox.cutPower();
  }

  /** At the end of a simulation. */
  dispose(): void {
    this.remove();
    this.daemon.dispose();
  }

  #onPower(isUp: boolean): void {
    const { trace, clock, pace } = this.#ground;
    trace.add(`${this.name} is ${isUp ? 'up' : 'down'}`);
    if (!isUp) this.daemon.end();
    else if (!this.#isGone) {
      clock.after(between(this.#random, pace.daemonStartMs), () => {
        if (this.isUp) this.daemon.start();
      });
    }
    for (const listener of this.#powerListeners) listener(isUp);
  }

  /** Undefined where calls of the daemon to its machine take no time. */
  #hostDelay(): (() => Promise<void>) | undefined {
    const { clock, pace } = this.#ground;
    const { hostCallMs } = pace;
    if (hostCallMs === undefined) return undefined;
    return () =>
      new Promise((resolve) => {
        clock.after(hostCallMs, resolve);
      });
  }

  #watched(host: Host): Host {
    return {
      ...host,
      reboot: async (rationale) => {
        this.#ground.trace.add(`${this.name} reboots: ${rationale}`);
        this.#onReboot(this.name);
        await host.reboot(rationale);
      },
    };
  }
}

const VERSION = 'simulated';
/** Of a container that has ended. */
const RESTART_MS = [1_000, 10_000] as const;
const RETRY_BOOT_MS = 5_000;

function daemonUser(node: string, namespace: string) {
  return serviceAccountUser({
    namespace,
    name: 'machine-config-daemon',
    uid: 'uid-of-machine-config-daemon',
    podName: `machine-config-daemon-${node}`,
    podUid: `uid-of-daemon-of-${node}`,
    nodeName: node,
    nodeUid: `uid-of-${node}`,
  });
}
