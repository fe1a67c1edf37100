/**
 * The MachineConfigServer: gives machines that join the Ignition of their pool.
 *
 *     https-listener-node ──> ConfigServer.answer ──> routeOf ──> refusalOf (source, token) ──> joining
 *            ▲                        └──> AnswerCache: each config and version is encoded once
 *            └── certificate ── createServerController   watches the Secret with it
 *
 * What it serves holds credentials of the cluster. So access can be limited to ranges of addresses and to who has a token; every
 * source of requests has a rate, all together have a limit, and nothing that a client sends makes the server work much.
 *
 * Not here: what is served (`joining`), and who makes the Secrets (`controllers`).
 *
 * Start with `config-server.ts`.
 */
export type { AccessRules } from './access.ts';
export { type ConfigServer, createConfigServer, type ServerSettings } from './config-server.ts';
export { REQUESTS, SERVER_METRICS } from './metrics.ts';
export type { ConfigRequest, ConfigResponse } from './request.ts';
export { createServerController, type Listener } from './server-controller.ts';
