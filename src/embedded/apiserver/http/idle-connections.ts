/**
 * Connections on which nothing is under way, the longest idle first. Where there are too many connections, they make
 * room for a new one: a client that keeps thousands of them to itself keeps nobody out.
 */
interface Connection {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  destroy(): unknown;
}

export class IdleConnections {
  readonly #byName = new Map<string, Connection>();

  /** From now on; with TLS on top it is still the same connection. */
  add(connection: Connection): void {
    const name = nameOf(connection);
    this.#byName.delete(name);
    this.#byName.set(name, connection);
  }

  delete(connection: Connection): void {
    this.#byName.delete(nameOf(connection));
  }

  /** False where all are in use. */
  dropOldest(): boolean {
    for (const [name, connection] of this.#byName) {
      this.#byName.delete(name);
      connection.destroy();
      return true;
    }
    return false;
  }
}

/** A connection that has ended has no name, and nobody needs it. */
function nameOf({ remoteAddress, remotePort }: Connection): string {
  return `${remoteAddress} ${remotePort}`;
}
