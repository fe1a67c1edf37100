/**
 * The embedded cluster's container registry: requests of the OCI distribution specification in, responses out, over a store.
 *
 * `createRegistry` needs a store (`registry-store-node.ts` for a folder, memory for tests) and a server that gives it a
 * socket (`registry-server-node.ts`).
 *
 * Not here: the client (`images`).
 *
 * Start with `registry-server.ts`.
 */
export { createInProcessRegistryTransport } from './in-process-transport.ts';
export { createMemoryRegistryStore } from './memory-registry-store.ts';
export { type Authorizer, createBasicAuthorizer } from './registry-access.ts';
export { createRegistry, type Registry } from './registry-server.ts';
export type { RegistryStore } from './registry-store.ts';
