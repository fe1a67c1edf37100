/**
 * The first boot of a joining machine in the embedded cluster: with the pointer config of its pool, which a platform would give
 * it as user data, and with the machine config server over HTTPS.
 */
import { NAMESPACE } from '../../../api/index.ts';
import type { Env } from '../../../base/env.ts';
import { Failure } from '../../../base/errors.ts';
import { base64Bytes } from '../../../base/text/index.ts';
import { sleep } from '../../../base/waiting.ts';
import type { Kube } from '../../../kubernetes/client/index.ts';
import { secret as secretKind } from '../../../kubernetes/types/index.ts';
import type { SandboxMachine } from '../../sandbox/index.ts';
import { bootWithIgnition } from './boot-with-ignition.ts';
import { fetchIgnition } from './fetch-ignition-node.ts';
import { pointerRequest } from './pointer-request.ts';

type FirstBoots = {
  readonly env: Env;
  readonly kube: Kube;
  readonly bootImage: string;
  readonly log: (name: string, line: string) => void;
};

type Joining = { readonly name: string; readonly pool: string; readonly report: (line: string) => void };

export function createFirstBoot({ env, kube, bootImage, log }: FirstBoots) {
  return (machine: SandboxMachine, { name, pool, report }: Joining): Promise<void> =>
    bootWithIgnition(machine, {
      env,
      bootImage,
      report,
      log: (line) => log(name, line),
      async fetchIgnition() {
        const pointer = pointerRequest(await userData({ env, kube, report }, pool));
        report(`fetches ${pointer.url}`);
        const onWait = (why: string) => report(`waits: ${why}`);
        return await fetchIgnition(pointer, { clock: env.clock, signal: env.signal, onWait });
      },
    });
}

const RETRY_MS = 1_000;

/** Of a new pool, the operator writes it shortly. */
async function userData(
  { env, kube, report }: Pick<FirstBoots, 'env' | 'kube'> & Pick<Joining, 'report'>,
  pool: string,
): Promise<string> {
  const key = { name: `${pool}-user-data-managed`, namespace: NAMESPACE };
  for (let tries = 0; ; tries++) {
    const bytes = base64Bytes((await kube.get(secretKind, key))?.data?.userData ?? '');
    if (bytes !== undefined && bytes.length > 0) return new TextDecoder().decode(bytes);
    if (tries === 0) report(`waits: Secret ${key.name} has no pointer config yet`);
    if (!(await sleep(env.clock, { delayMs: RETRY_MS, signal: env.signal }))) {
      throw new Failure('cancelled', 'Stopped', 'stopped');
    }
  }
}
