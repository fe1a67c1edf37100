/**
 * A process that is started again when it has ended, as a kubelet does with the container of a pod.
 *
 * `run` gets an environment and a transport of this incarnation. A killed incarnation is simply forgotten: see `ProcessGate`.
 */
import type { Clock, Env, Random } from '../../base/env.ts';
import { silentLog } from '../../base/env.ts';
import { Bug } from '../../base/errors.ts';
import type { Transport } from '../../kubernetes/client/index.ts';
import { between, randomOf } from '../seeded-random.ts';
import type { Trace } from '../trace.ts';
import { ProcessGate } from './process-gate.ts';

type ProcessParts = {
  readonly env: Env;
  readonly transport: Transport;
  readonly gate: ProcessGate;
  /** Counts from 1. */
  readonly incarnation: number;
};

type SupervisedOptions = {
  readonly name: string;
  readonly seed: number;
  readonly clock: Clock;
  readonly trace: Trace;
  /** The way to the server of one incarnation. */
  readonly connect: (gate: ProcessGate, random: Random) => Transport;
  /** Settles when the process ends by itself. */
  readonly run: (parts: ProcessParts) => Promise<void>;
  /** From its end to its next start. */
  readonly restartMs: readonly [number, number];
  /** An internal error: it should never happen. */
  readonly onBug: (error: Error) => void;
};

/** Without a reason the platform makes an error with a stack. */
const DISPOSED = 'the simulation has ended';

export class SupervisedProcess {
  readonly #options: SupervisedOptions;
  readonly #random: Random;
  #gate: ProcessGate | undefined;
  #stopping: AbortController | undefined;
  #incarnation = 0;
  #isWanted: boolean = false;
  #skewMs = 0;
  /** Of all incarnations. */
  readonly #signals: AbortController[] = [];

  constructor(options: SupervisedOptions) {
    this.#options = options;
    this.#random = randomOf(options.seed, 'process', options.name);
  }

  get name(): string {
    return this.#options.name;
  }

  /** Undefined while it does not run. */
  get gate(): ProcessGate | undefined {
    return this.#gate;
  }

  start(): void {
    this.#isWanted = true;
    if (this.#gate === undefined) this.#begin();
  }

  /** Without a word, and not started again until it is asked for. */
  end(): void {
    this.#isWanted = false;
    this.#gate?.kill();
  }

  /**
   * At the end of a simulation. What is left of killed incarnations waits for signals that never come, and Node.js keeps those for ever: the
   * memory of every simulation would.
   */
  dispose(): void {
    this.end();
    for (const controller of this.#signals) controller.abort(DISPOSED);
  }

  /** Without a word; it is started again after a while. */
  kill(): void {
    this.#gate?.kill();
  }

  /** As SIGTERM. */
  terminate(): void {
    this.#stopping?.abort();
  }

  /** Of this machine, also for later incarnations. */
  skewClock(ms: number): void {
    this.#skewMs = ms;
    this.#gate?.skew(ms);
  }

  #begin(): void {
    const { name, clock, trace, connect, run, seed } = this.#options;
    this.#incarnation += 1;
    const incarnation = this.#incarnation;
    trace.add(`${name} starts (${incarnation})`);
    const gate: ProcessGate = new ProcessGate({ clock, onKill: () => this.#over(gate, 'is killed') });
    gate.skew(this.#skewMs);
    const stopping = new AbortController();
    this.#signals.push(stopping);
    this.#gate = gate;
    this.#stopping = stopping;
    const random = randomOf(seed, 'process', name, incarnation);
    const transport = connect(gate, randomOf(seed, 'network', name, incarnation));
    const env: Env = { clock: gate.clock(), random, log: silentLog, signal: stopping.signal };
    run({ env, transport, gate, incarnation }).then(
      () => this.#over(gate, 'ends'),
      (error: unknown) => {
        if (gate.isDead) return;
        if (error instanceof Bug) this.#options.onBug(error);
        this.#over(gate, `ends: ${error instanceof Error ? error.message : String(error)}`);
      },
    );
  }

  #over(gate: ProcessGate, how: string): void {
    if (this.#gate !== gate) return;
    const { name, clock, trace, restartMs } = this.#options;
    this.#gate = undefined;
    this.#stopping = undefined;
    trace.add(`${name} ${how}`);
    // What is left of it must not act any more.
    gate.kill();
    if (!this.#isWanted) return;
    clock.after(between(this.#random, restartMs), () => {
      if (this.#isWanted && this.#gate === undefined) this.#begin();
    });
  }
}
