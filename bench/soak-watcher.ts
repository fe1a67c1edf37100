/**
 * A long-running watcher that counts events and measures their latency.
 */
import { performance } from 'node:perf_hooks';
import { type Connection, eventCounter, openConnection, type Server } from './lean-client.ts';

export class SoakWatcher {
  events = 0;
  readonly #server: Server;
  readonly #path: string;
  #lags: number[] = [];
  #connection: Connection;

  private constructor(server: Server, path: string, connection: Connection) {
    this.#server = server;
    this.#path = path;
    this.#connection = connection;
  }

  static async open(server: Server, path: string): Promise<SoakWatcher> {
    const watcher = new SoakWatcher(server, path, await openConnection(server));
    await watcher.#watch();
    return watcher;
  }

  async goAndReturn(): Promise<void> {
    this.#connection.close();
    this.#connection = await openConnection(this.#server);
    await this.#watch();
  }

  takeLags(): number[] {
    const lags = this.#lags;
    this.#lags = [];
    return lags;
  }

  async #watch(): Promise<void> {
    const count = eventCounter((events) => {
      this.events += events;
    });
    // resourceVersion 0 sends the initial state first, as for informers.
    await this.#connection.stream(`${this.#path}&resourceVersion=0`, (piece) => {
      count(piece);
      // The latest event of a chunk suffices. Deleted objects carry the time of their last write and are skipped.
      const at = piece.includes('"type":"DELETED"') ? -1 : piece.lastIndexOf('"at":"');
      if (at >= 0)
        this.#lags.push(performance.now() - Number.parseFloat(piece.toString('latin1', at + 6, at + 22)));
      if (this.#lags.length > MAX_LAGS) this.#lags = [];
    });
  }
}

const MAX_LAGS = 100_000;
