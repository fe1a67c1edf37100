/**
 * The first boot of a machine that Ignition has written its config to, before its kubelet runs: brings the OS to what the config
 * says, with one reboot at most. What it leaves undone, the daemon does when the node joins (`join`).
 */
import { Failure } from '../../base/errors.ts';
import { type NodeConfig, planUpdate } from '../plan/index.ts';
import type { HostContext } from './context.ts';
import { asInstalled, machineOs } from './start-up.ts';
import { ENCAPSULATED_CONFIG } from './state-paths.ts';
import { stageOs } from './step-os.ts';

/** `staged`: it takes effect with a reboot, which is the caller's. Throws a `Failure` where the OS cannot be staged. */
export async function completeFirstBoot(
  work: HostContext,
  to: NodeConfig,
  architecture: string,
): Promise<'unchanged' | 'staged'> {
  const { host, log } = work;
  const from = await asInstalled(work, to);
  const policies = { kind: 'invalid', problems: [] } as const;
  const result = planUpdate({ from, to, policies, machine: await machineOs(host, to), isFirstBoot: true });
  if (result.kind !== 'plan') throw new Failure('stalled', 'FirstBootRefused', result.error);
  if (!result.plan.needsReboot) {
    log.system(`skipping reboot since no changes were detected from ${from.name} to ${to.name}`);
    await host.files.remove(ENCAPSULATED_CONFIG);
    return 'unchanged';
  }
  const outcome = await stageOs(work, { from, to, change: result.plan.change, architecture });
  if (outcome.kind === 'pull-failed') throw new Failure('transient', 'PullFailed', outcome.error);
  await host.files.copy(ENCAPSULATED_CONFIG, `${ENCAPSULATED_CONFIG}.bak`);
  await host.files.remove(ENCAPSULATED_CONFIG);
  log.system(`Completing firstboot provisioning to ${to.name}`);
  return 'staged';
}
