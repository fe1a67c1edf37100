/**
 * The process of the MachineConfigServer: it answers as long as it runs. Replicas answer side by side, so it has no Lease.
 */
import type { Env } from '../base/env.ts';
import {
  CONTROLLER_REQUEST_LIMITS,
  createCaches,
  createKube,
  measuredTransport,
  runControllers,
  type Transport,
} from '../kubernetes/client/index.ts';
import type { Metrics } from '../kubernetes/metrics/index.ts';
import { createHttpsListener } from '../server/https-listener-node.ts';
import {
  type ConfigRequest,
  createConfigServer,
  createServerController,
  REQUESTS,
  type ServerSettings,
} from '../server/index.ts';

type ServerProcess = {
  readonly env: Env;
  readonly transport: Transport;
  readonly version: string;
  /** Of `SERVER_METRICS`. */
  readonly metrics: Metrics;
  readonly settings: ServerSettings;
  readonly host?: string | undefined;
  readonly port: number;
  readonly plainPort?: number | undefined;
  /** Called once the ports are open. */
  readonly onOpen?: (ports: { readonly port: number; readonly plainPort?: number }) => void;
};

const ACCOUNT = 'machine-config-server';

/** Resolves once it was stopped and has ended. */
export async function runServer(process: ServerProcess): Promise<void> {
  const { env, version, metrics, settings, host, port, plainPort, onOpen } = process;
  const transport = measuredTransport(process.transport, { metrics, clock: env.clock });
  env.log.info(`Version: ${version}`);
  const limits = CONTROLLER_REQUEST_LIMITS;
  const userAgent = `millwright/${version} (server)`;
  const kube = createKube({ transport, env, limits, fieldManager: ACCOUNT, userAgent });
  const caches = createCaches({ transport, env, limits, metrics });
  const server = createConfigServer({ kube, caches, env, settings });
  const listener = createHttpsListener({
    answer: async (request: ConfigRequest) => {
      const response = await server.answer(request);
      metrics.counter(REQUESTS).add({ code: String(response.status) });
      return response;
    },
    host,
    port,
    plainPort,
    onOpen: (ports) => {
      env.log.info('Listening', { ...ports });
      onOpen?.(ports);
    },
  });
  const controller = createServerController({
    caches,
    env,
    namespace: settings.namespace,
    server,
    listener,
  });
  try {
    await runControllers([controller], { env, metrics });
  } finally {
    await listener.stop();
    await caches.stop();
  }
}
