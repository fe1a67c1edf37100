/**
 * Idle connections, the longest idle first. At the limit of connections they are closed for new ones, so that one
 * client with thousands of connections cannot block others.
 */
interface Connection {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  destroy(): unknown;
}

export class IdleConnections {
  readonly #byName = new Map<string, Connection>();

  /** TLS sockets wrap the same connection. */
  add(connection: Connection): void {
    const name = nameOf(connection);
    this.#byName.delete(name);
    this.#byName.set(name, connection);
  }

  delete(connection: Connection): void {
    this.#byName.delete(nameOf(connection));
  }

  /** False if all are in use. */
  dropOldest(): boolean {
    for (const [name, connection] of this.#byName) {
      this.#byName.delete(name);
      connection.destroy();
      return true;
    }
    return false;
  }
}

/** A closed connection has no address. */
function nameOf({ remoteAddress, remotePort }: Connection): string {
  return `${remoteAddress} ${remotePort}`;
}
