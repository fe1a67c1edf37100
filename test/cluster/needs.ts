/** The requirements of the cluster, and the programs that it runs. */

import { findCrioProgram, findKubectl, findProgram } from '../kubernetes/programs.ts';
import { whatTheLabLacks } from '../lab/needs.ts';
import type { Unavailable } from '../oracle/oracle.ts';
import { NODE_PACKAGES } from './node-os.ts';

const KUBERNETES = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
] as const;
const CRIO = ['crio', 'pinns'] as const;

/** Paths. */
export type Programs = Readonly<
  Record<(typeof KUBERNETES)[number] | (typeof CRIO)[number] | 'kubectl', string>
>;

/** In Debian's packages `grub-common`, `iproute2`, `containerd`, `runc`, `conmon`, `openssl`, `busybox-static`, `curl`. */
const MORE_PROGRAMS = [
  'ip',
  'containerd',
  'runc',
  'conmon',
  'openssl',
  'busybox',
  'systemd-socket-activate',
  'grub-mkconfig',
  'curl',
];

/**
 * With `MILLWRIGHT_REQUIRE_TOOLS=1` it throws where something is missing: CI must not skip silently. `others` are programs that
 * only some stories need.
 */
export async function findPrograms(others: readonly string[] = []): Promise<Programs | Unavailable> {
  const lack = await whatTheLabLacks({ programs: [...MORE_PROGRAMS, ...others], packages: NODE_PACKAGES });
  if (lack !== undefined) return lack;
  const found: Record<string, string | Unavailable> = { kubectl: await findKubectl() };
  for (const name of KUBERNETES) found[name] = await findProgram(name);
  for (const name of CRIO) found[name] = await findCrioProgram(name);
  for (const one of Object.values(found)) {
    if (typeof one === 'string') continue;
    if (process.env.MILLWRIGHT_REQUIRE_TOOLS !== '1') return one;
    throw new Error(`a real cluster is required: ${one.unavailable}`);
  }
  // All of them are paths: see above.
  return found as Programs;
}
