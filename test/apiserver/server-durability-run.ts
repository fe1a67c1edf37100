/** One run of the server, from its start to the kill, with its clients. */
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type HttpClient, type ServerAddress } from '../contract/http-client.ts';
import { type ServerProcess, startProcess } from './server-durability-process.ts';

export type LifeOptions = {
  readonly number: number;
  readonly folder: string;
  readonly port: number;
  /** As it was handed out before the first kill. */
  readonly address: ServerAddress;
};

const ANSWERING_LIMIT_MS = 60_000;
const ANSWERING_INTERVAL_MS = 5;

export class Life {
  readonly number: number;
  readonly client: HttpClient;
  /** Failures are expected from the kill on. */
  isOver: boolean = false;
  readonly #process: ServerProcess;
  readonly #tasks: Promise<void>[] = [];
  readonly #failures: unknown[] = [];

  constructor({ number, folder, port, address }: LifeOptions) {
    this.number = number;
    this.client = connect(address);
    this.#process = startProcess({ folder, port });
  }

  untilReady(): Promise<void> {
    return this.#process.untilReady();
  }

  /** The server accepts requests a little before it prints `ready`. */
  async untilAnswering(): Promise<void> {
    const deadline = performance.now() + ANSWERING_LIMIT_MS;
    for (;;) {
      try {
        await this.client.request('GET', '/version');
        return;
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await sleep(ANSWERING_INTERVAL_MS);
      }
    }
  }

  /** Runs a task until the kill. Its failure is reported at the end. */
  run(task: () => Promise<void>): void {
    this.#tasks.push(task().catch((error: unknown) => void this.#failures.push(error)));
  }

  /** What the server answers, or `undefined` when it was killed before it had. */
  async unlessOver<T>(answer: Promise<T>): Promise<T | undefined> {
    try {
      return await answer;
    } catch (error) {
      if (this.isOver) return undefined;
      throw error;
    }
  }

  /** Throws what failed before the kill or for another reason. */
  async kill(): Promise<void> {
    this.isOver = true;
    await this.#process.kill();
    await Promise.all(this.#tasks);
    this.client.close();
    this.throwFailure();
  }

  throwFailure(): void {
    if (this.#failures.length === 0) return;
    throw new Error(`in life ${this.number}: ${String(this.#failures[0])}\n${this.#process.printed()}`, {
      cause: this.#failures[0],
    });
  }
}
