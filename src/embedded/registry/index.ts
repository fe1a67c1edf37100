/**
 * The embedded cluster's container registry: requests of the OCI distribution specification in, responses out, over a store.
 *
 * `createRegistry` needs a store (`registry-store-node.ts` for a directory, memory for tests); `registry-server-node.ts`
 * serves it on a socket.
 *
 * Not here: the client (`images`).
 *
 * Start with `registry-server.ts`.
 */
export { createInProcessRegistryTransport } from './in-process-transport.ts';
export { createMemoryRegistryStore } from './memory-registry-store.ts';
export { createRegistry, type Registry } from './registry-server.ts';
export type { RegistryStore } from './registry-store.ts';
