/**
 * Simulator processes, seen from the runner: each runs one job at a time, and is replaced where it ends.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { type Answer, INTERNAL_ERRORS, type Job, type JobResult } from './jobs.ts';

/** A run that takes longer does not come to its end: no scenario takes a tenth of it. */
const JOB_LIMIT_MS = 15 * 60_000;
const MOST_KILLS = 2;
const MAX_STDERR_CHARS = 20_000;

export class SimulatorProcess {
  readonly #bundle: string;
  #child: ChildProcess | undefined;
  #stderr = '';

  constructor(bundle: string) {
    this.#bundle = bundle;
  }

  /** One at a time. A run that ends its process, or that does not end, is a violation as well. Rejects where the process does not start. */
  async run(job: Job): Promise<JobResult> {
    for (let kills = 0; ; kills++) {
      const outcome = await this.#runOnce(job);
      // By somebody, or for want of memory: that says nothing about the run, unless it happens again.
      if (typeof outcome !== 'string') return outcome;
      if (kills >= MOST_KILLS) return lostResult(job, `the simulator process is killed by ${outcome}`);
    }
  }

  /** The signal, where the process was killed. */
  async #runOnce(job: Job): Promise<JobResult | NodeJS.Signals> {
    this.#child ??= await this.#start();
    const child = this.#child;
    return await new Promise((resolve) => {
      const over = (outcome: JobResult | NodeJS.Signals) => {
        clearTimeout(timer);
        child.removeAllListeners();
        resolve(outcome);
      };
      const lost = (why: string) => {
        this.stop();
        over(lostResult(job, `${why}\n${this.#stderr}`.trim()));
      };
      const timer = setTimeout(
        () => lost(`the run has not ended after ${JOB_LIMIT_MS / 60_000} minutes`),
        JOB_LIMIT_MS,
      );
      child.on('message', (answer: Answer) => {
        if (answer.kind === 'ready') return;
        if (answer.kind === 'crashed') this.stop();
        over(answer.result);
      });
      child.on('exit', (code, signal) => {
        this.#child = undefined;
        if (signal === null) lost(`the simulator process ended: exit code ${code}`);
        else over(signal);
      });
      child.on('error', (error) => lost(`the simulator process failed: ${error.message}`));
      child.send(job);
    });
  }

  stop(): void {
    this.#child?.removeAllListeners();
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  /** Resolves once the manifests are installed. */
  async #start(): Promise<ChildProcess> {
    this.#stderr = '';
    const child = fork(this.#bundle, {
      // Many objects live for a few virtual seconds: in a larger nursery fewer of them are copied.
      execArgv: ['--enable-source-maps', '--max-semi-space-size=32'],
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    });
    child.stderr?.on('data', (piece: Buffer) => {
      this.#stderr = `${this.#stderr}${piece}`.slice(-MAX_STDERR_CHARS);
    });
    await new Promise<void>((resolve, reject) => {
      child.once('message', () => resolve());
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`the simulator does not start: ${this.#stderr}`)));
    });
    child.removeAllListeners();
    return child;
  }
}

function lostResult({ what }: Job, text: string): JobResult {
  return {
    seed: what.kind === 'seed' ? what.seed : what.scenario.seed,
    violations: [{ atMs: 0, checker: INTERNAL_ERRORS, text }],
    ...(what.kind === 'scenario' ? { scenario: what.scenario } : {}),
    traceHash: '',
    lines: [],
    cpuMs: 0,
  };
}

/** As many as there are; each job goes to the first that is free. */
export class SimulatorPool {
  readonly #idle: SimulatorProcess[];
  readonly #all: readonly SimulatorProcess[];
  readonly #waiting: ((process: SimulatorProcess) => void)[] = [];

  constructor(bundle: string, count: number) {
    this.#all = Array.from({ length: count }, () => new SimulatorProcess(bundle));
    this.#idle = [...this.#all];
  }

  async run(job: Job): Promise<JobResult> {
    const process =
      this.#idle.shift() ??
      (await new Promise<SimulatorProcess>((resolve) => {
        this.#waiting.push(resolve);
      }));
    try {
      return await process.run(job);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#idle.push(process);
      else next(process);
    }
  }

  stop(): void {
    for (const process of this.#all) process.stop();
  }
}
