/**
 * Looks after the kubelet of this machine: asks it now and then whether it is well, and counts how often in a row it was
 * not. Nothing is done about it: whoever watches the metric decides.
 */
import { get } from 'node:http';
import type { Env } from '../base/env.ts';

type KubeletHealthOptions = {
  readonly env: Pick<Env, 'clock' | 'signal'>;
  readonly endpoint: string;
  readonly say: (line: string) => void;
  /** How often in a row it was not well. */
  readonly count: (failures: number) => void;
};

const PERIOD_MS = 30_000;
const TIMEOUT_MS = 30_000;

/** Goes on until the signal. */
export function watchKubeletHealth({ env, endpoint, say, count }: KubeletHealthOptions): void {
  let failures = 0;
  const look = async (): Promise<void> => {
    const trouble = await troubleOf(endpoint);
    if (env.signal.aborted) return;
    failures = trouble === undefined ? 0 : failures + 1;
    count(failures);
    if (trouble !== undefined) {
      say(`Got an error from auxiliary tools: kubelet health check has failed ${failures} times: ${trouble}`);
    }
    next();
  };
  const next = () => {
    const timer = env.clock.after(PERIOD_MS, () => void look());
    env.signal.addEventListener('abort', () => timer.cancel(), { once: true });
  };
  next();
}

/** Undefined where it is well. A kubelet that answers anything but `ok` says itself that it is not. */
function troubleOf(endpoint: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const request = get(endpoint, { timeout: TIMEOUT_MS }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        if (body.length < 1024) body += text;
      });
      response.on('end', () =>
        resolve(body.trim() === 'ok' ? undefined : `it says ${JSON.stringify(body.slice(0, 100))}`),
      );
      response.on('error', (error) => resolve(error.message));
    });
    request.on('timeout', () => request.destroy(new Error('no answer in time')));
    request.on('error', (error) => resolve(error.message));
  });
}
