/** Requests to pods through the API server and a kubelet, by `kubectl port-forward`. */
import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startChild } from '../kubernetes/child.ts';
import { until } from '../lab/until.ts';
import { type Fetched, fetchFrom } from './fetch.ts';

export type ForwardedRequest = {
  readonly namespace: string;
  /** `pod/NAME` or `deployment/NAME`. */
  readonly target: string;
  readonly port: number;
  readonly path: string;
};

type Forwarder = { readonly kubectl: string; readonly kubeconfig: string; readonly folder: string };

const START_LIMIT_MS = 60_000;

export async function fetchForwarded(
  { kubectl, kubeconfig, folder }: Forwarder,
  { namespace, target, port, path }: ForwardedRequest,
): Promise<Fetched> {
  const logPath = join(await mkdtemp(join(folder, 'forward-')), 'log');
  const where = [`--kubeconfig=${kubeconfig}`, `--namespace=${namespace}`];
  const args = ['port-forward', ...where, '--address=127.0.0.1', target, `:${port}`];
  const child = startChild({ name: `port-forward ${target}`, program: kubectl, args, logPath });
  try {
    let local = '';
    await until(`${target} is forwarded`, { limitMs: START_LIMIT_MS, explain: child.logTail }, async () => {
      if (child.hasEnded()) throw new Error(await child.logTail());
      local = /^Forwarding from 127\.0\.0\.1:(\d+) /m.exec(await readFile(logPath, 'utf8'))?.[1] ?? '';
      return local !== '';
    });
    return await fetchFrom([], `http://127.0.0.1:${local}${path}`, {});
  } finally {
    await child.stop();
  }
}
