/** The API server, the operator, the controllers and the builder as separate processes. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { type Administrator, administrator } from '../kubernetes/administrator.ts';
import { makeChildren } from '../kubernetes/children.ts';
import { tokenOf } from '../rollout/http-tokens.ts';
import { until } from './until.ts';

export type ControlPlane = Administrator & {
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
  const children = makeChildren();
  const start = (name: string, args: readonly string[]) => {
    const logPath = join(folder, `${name}.log`);
    children.start({ name, program: process.execPath, args: [program, name, ...args], logPath });
    return logPath;
  };
  const dataDir = join(folder, 'data');
  const log = start('apiserver', ['--data-dir', dataDir, '--port', '0']);
  try {
    await until('the API server is ready', { limitMs: READY_LIMIT_MS }, async () => {
      if (children.wanted().some((child) => child.hasEnded())) throw new Error(await readFile(log, 'utf8'));
      return /^ready /m.test(await readFile(log, 'utf8'));
    });
    const admin = join(dataDir, 'kubeconfig');
    const { kube, transport } = await administrator(admin, 'lab');
    const kubeconfigFor = withToken(await readFile(admin, 'utf8'));
    const startComponent = async (name: string, account: string, args: readonly string[] = []) => {
      const path = join(folder, `${name}.kubeconfig`);
      await writeFile(path, kubeconfigFor(await tokenOf(transport, account)), { mode: 0o600 });
      start(name, ['--kubeconfig', path, ...args]);
    };
    return {
      kube,
      transport,
      kubeconfigFor,
      program,
      async startControllers() {
        for (const name of ['operator', 'controller']) {
          await startComponent(name, `machine-config-${name}`, ['--base', 'coreos']);
        }
      },
      // Its pods are run with this very program: see `build-pods.ts`.
      startBuilder: () => startComponent('builder', 'machine-os-builder', ['--builder-image', 'lab/builder']),
      logs: children.logs,
      async stop() {
        transport.close();
        await children.stopAll();
      },
    };
  } catch (error) {
    await children.stopAll();
    throw error;
  }
}

function withToken(kubeconfig: string): (token: string) => string {
  return (token) => {
    // It was written by our own server.
    const file = parse(kubeconfig) as { users: { user: object }[] };
    for (const one of file.users) one.user = { token };
    return stringify(file);
  };
}
