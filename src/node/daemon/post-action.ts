/**
 * The step after the disk has changed: what the node disruption policies ask for. The reboot is not here: it ends this
 * daemon, see `decide.ts`.
 */
import { unreachable } from '../../base/errors.ts';
import type { PostAction } from '../plan/index.ts';
import type { Work } from './context.ts';

export async function performPostAction(
  { host, log }: Work,
  action: PostAction,
  config: string,
): Promise<void> {
  log.system(`Performing post config change action: ${action.type} for config ${config}`);
  switch (action.type) {
    case 'None':
      return log.system(`Node has Desired Config ${config}, skipping reboot`);
    case 'Reload':
      await host.units.reload(action.service);
      return log.system(`${action.service} service reloaded successfully!`);
    case 'Special':
      await host.units.reload('crio');
      return log.system('crio service reloaded successfully!');
    case 'DaemonReload':
      await host.units.reloadManager();
      return log.system('daemon-reload service reloaded successfully!');
    case 'Restart':
      await host.units.restart(action.service);
      return log.system(`${action.service} service restarted successfully!`);
    case 'Reboot':
    case 'Drain':
      // A drain came first, and a reboot comes by itself.
      return;
    default:
      return unreachable(action);
  }
}
