/**
 * Who a process is in the Lease of its component.
 *
 * In a pod: `<pod>_<uid>_<random>`. A container is restarted only after its process has ended, and a pod with this uid runs
 * nowhere else, so that a Lease of the same pod need not be waited for. A second process in the pod (`kubectl exec`) would break
 * that: therefore a process of this identity holds a lock for as long as it lives, and who has the lock knows that all others
 * of this identity have ended. A process that does not get the lock is `<pod>_<random>` and waits as one of another pod does.
 *
 * Elsewhere (`--kubeconfig`): `<host>_<random>`, and every Lease is waited for.
 */
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import type { Env } from '../../base/env.ts';
import { errorText } from '../../base/errors.ts';

type LeaseIdentity = { readonly identity: string; readonly predecessors?: string };

export async function leaseIdentity(
  component: string,
  { random, log }: Pick<Env, 'random' | 'log'>,
  environment: { readonly [name: string]: string | undefined },
): Promise<LeaseIdentity> {
  const { POD_NAME: pod = '', POD_UID: uid = '' } = environment;
  if (pod === '' || uid === '') return { identity: `${pod || hostname()}_${random.uuid()}` };
  const error = await lockUntilExit(`millwright/${component}/${uid}`);
  const predecessors = `${pod}_${uid}_`;
  if (error === undefined) return { identity: `${predecessors}${random.uuid()}`, predecessors };
  log.warn('another process of this pod may be running: its Lease is waited for', { component, error });
  return { identity: `${pod}_${random.uuid()}` };
}

/**
 * An abstract Unix socket: it belongs to the network of the pod, leaves no file, and is gone with the process, however that
 * ends. Resolves to what prevents it.
 */
function lockUntilExit(name: string): Promise<string | undefined> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve) => {
    // Its message has the name, which begins with a zero byte.
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? errorText(error)));
    server.listen(`\0${name}`, () => resolve(undefined));
    server.unref();
  });
}
