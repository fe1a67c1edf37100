/**
 * What goes wrong in a rehearsal, on request. Each begins at a moment that is stated, so that equal seeds stay comparable.
 */
import type { SimulatedCluster } from '../cluster/cluster.ts';
import type { MachineTimes } from '../cluster/machine.ts';

export type WhatIf =
  /** It does not come back from its reboot. */
  | { readonly kind: 'node-lost'; readonly node: string }
  /** It is down from the beginning, and stays so. */
  | { readonly kind: 'node-down'; readonly node: string }
  /** Boots, downloads and deployments take so many times as long. */
  | { readonly kind: 'slow-node'; readonly node: string; readonly factor: number }
  /** From the change on, and for good. */
  | { readonly kind: 'disk-full'; readonly node: string }
  /** From the change on. */
  | { readonly kind: 'registry-down'; readonly ms: number }
  /** When the first node is sent: both replicas, for so long; without a time they are started again at once. */
  | { readonly kind: 'controller-crash'; readonly ms?: number };

export type WhatIfKind = WhatIf['kind'];

/** Of the machine of a node. */
export function slowedTimes(times: MachineTimes, node: string, whatIfs: readonly WhatIf[]): MachineTimes {
  const factor = whatIfs.reduce(
    (product, one) => (one.kind === 'slow-node' && one.node === node ? product * one.factor : product),
    1,
  );
  const { bootMs, shutDownMs, pullMs, stageMs } = times;
  return { bootMs: bootMs * factor, shutDownMs, pullMs: pullMs * factor, stageMs: stageMs * factor };
}

/** Before the change: what is so already. */
export function beginDown(cluster: SimulatedCluster, whatIfs: readonly WhatIf[]): void {
  for (const one of whatIfs) if (one.kind === 'node-down') cluster.machines.get(one.node)?.remove();
}

/** At the moment of the change. */
export function beginFaults(cluster: SimulatedCluster, whatIfs: readonly WhatIf[]): void {
  const { machines, registry, clock } = cluster;
  for (const one of whatIfs) {
    switch (one.kind) {
      case 'node-lost': {
        const machine = machines.get(one.node);
        if (machine !== undefined) machine.sandbox.faults.isBootStuck = true;
        break;
      }
      case 'disk-full':
        machines.get(one.node)?.disk.addFault({
          path: '/rootfs',
          code: 'ENOSPC',
          calls: ['create', 'write', 'makeFolder'],
        });
        break;
      case 'registry-down':
        registry.isDown = true;
        clock.after(one.ms, () => registry.restore());
        break;
      case 'node-down':
      case 'slow-node':
      case 'controller-crash':
        break;
    }
  }
}

/** When the first node is sent. */
export function crashControllers({ components, clock }: SimulatedCluster, whatIfs: readonly WhatIf[]): void {
  const controllers = components.filter(({ name }) => name.startsWith('controller/'));
  for (const one of whatIfs) {
    if (one.kind !== 'controller-crash') continue;
    const { ms } = one;
    if (ms === undefined) for (const component of controllers) component.kill();
    else {
      for (const component of controllers) component.end();
      clock.after(ms, () => {
        for (const component of controllers) component.start();
      });
    }
  }
}
