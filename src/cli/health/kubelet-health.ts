/**
 * Checks the health endpoint of the kubelet periodically and counts consecutive failures, as a metric and log lines only.
 */
import { get } from 'node:http';
import type { Env } from '../../base/env.ts';
import { onAbort } from '../../base/waiting.ts';

type KubeletHealthOptions = {
  readonly env: Pick<Env, 'clock' | 'signal'>;
  readonly endpoint: string;
  readonly warn: (line: string) => void;
  /** Called with the number of consecutive failures after every check. */
  readonly onFailureCount: (failures: number) => void;
};

const PERIOD_MS = 30_000;
const TIMEOUT_MS = 30_000;

/** Runs until the signal is aborted. */
export function watchKubeletHealth({ env, endpoint, warn, onFailureCount }: KubeletHealthOptions): void {
  let failures = 0;
  const check = async (): Promise<void> => {
    const problem = await healthProblem(endpoint);
    if (env.signal.aborted) return;
    failures = problem === undefined ? 0 : failures + 1;
    onFailureCount(failures);
    if (problem !== undefined) {
      warn(
        `Got an error from auxiliary tools: kubelet health check has failed ${failures} times: ${problem}`,
      );
    }
    next();
  };
  const next = () => {
    const timer = env.clock.after(PERIOD_MS, () => {
      forget();
      void check();
    });
    const forget = onAbort(env.signal, () => timer.cancel());
  };
  next();
}

/** Undefined if healthy, which only the response `ok` means. */
function healthProblem(endpoint: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const request = get(endpoint, { timeout: TIMEOUT_MS }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        if (body.length < 1024) body += text;
      });
      response.on('end', () =>
        resolve(
          body.trim() === 'ok' ? undefined : `unexpected response ${JSON.stringify(body.slice(0, 100))}`,
        ),
      );
      response.on('error', (error) => resolve(error.message));
    });
    request.on('timeout', () => request.destroy(new Error('timed out')));
    request.on('error', (error) => resolve(error.message));
  });
}
