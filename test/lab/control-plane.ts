/** The API server, the operator, the controllers and the builder as separate processes. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { type Env, silentLog, systemClock, systemRandom } from '../../src/base/env.ts';
import { createKube, type Kube } from '../../src/kubernetes/client/index.ts';
import { readKubeconfig } from '../../src/kubernetes/client/kubeconfig-node.ts';
import { createNodeTransport, type NodeTransport } from '../../src/kubernetes/client/transport-node.ts';
import { type Child, startChild } from '../kubernetes/child.ts';
import { tokenOf } from '../rollout/http-tokens.ts';
import { until } from './until.ts';

export type ControlPlane = {
  /** Of an administrator. */
  readonly kube: Kube;
  readonly transport: NodeTransport;
  /** A kubeconfig with this token. */
  readonly kubeconfigFor: (token: string) => string;
  /** The entry of Millwright. */
  readonly program: string;
  /** Starts the operator and the controllers. */
  readonly startControllers: () => Promise<void>;
  readonly startBuilder: () => Promise<void>;
  /** The last lines of all logs. */
  readonly logs: () => Promise<string>;
  readonly stop: () => Promise<void>;
};

const READY_LIMIT_MS = 60_000;

export async function startControlPlane(options: {
  readonly program: string;
  readonly folder: string;
}): Promise<ControlPlane> {
  const { program, folder } = options;
  await mkdir(folder, { recursive: true });
  const children: Child[] = [];
  const start = (name: string, args: readonly string[]) => {
    const logPath = join(folder, `${name}.log`);
    children.push(startChild({ name, program: process.execPath, args: [program, name, ...args], logPath }));
    return logPath;
  };
  const stopAll = async () => {
    for (const child of [...children].reverse()) await child.stop();
  };
  const dataDir = join(folder, 'data');
  const log = start('apiserver', ['--data-dir', dataDir, '--port', '0']);
  try {
    await until('the API server is ready', { limitMs: READY_LIMIT_MS }, async () => {
      if (children.some((child) => child.hasEnded())) throw new Error(await readFile(log, 'utf8'));
      return /^ready /m.test(await readFile(log, 'utf8'));
    });
    const admin = join(dataDir, 'kubeconfig');
    const transport = createNodeTransport({ access: await readKubeconfig(admin), clock: systemClock });
    const kubeconfigFor = withToken(await readFile(admin, 'utf8'));
    const startComponent = async (name: string, account: string, args: readonly string[] = []) => {
      const path = join(folder, `${name}.kubeconfig`);
      await writeFile(path, kubeconfigFor(await tokenOf(transport, account)), { mode: 0o600 });
      start(name, ['--kubeconfig', path, ...args]);
    };
    return {
      transport,
      kubeconfigFor,
      program,
      kube: createKube({ transport, env: ENV, fieldManager: 'lab' }),
      async startControllers() {
        for (const name of ['operator', 'controller']) {
          await startComponent(name, `machine-config-${name}`, ['--base', 'coreos']);
        }
      },
      // Its pods are run with this very program: see `build-pods.ts`.
      startBuilder: () => startComponent('builder', 'machine-os-builder', ['--builder-image', 'lab/builder']),
      logs: async () => (await Promise.all(children.map(logOf))).join('\n'),
      async stop() {
        transport.close();
        await stopAll();
      },
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

const ENV: Env = {
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
  signal: new AbortController().signal,
};

async function logOf(child: Child): Promise<string> {
  return `--- ${child.name}${child.hasEnded() ? ' (ended)' : ''}\n${await child.logTail()}`;
}

function withToken(kubeconfig: string): (token: string) => string {
  return (token) => {
    // It was written by our own server.
    const file = parse(kubeconfig) as { users: { user: object }[] };
    for (const one of file.users) one.user = { token };
    return stringify(file);
  };
}
