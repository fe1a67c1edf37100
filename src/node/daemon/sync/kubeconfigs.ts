/**
 * Adds new CAs of the API server to the kubeconfigs of the kubelet, and restarts the kubelet, which reads its own file only when it
 * starts. Pods go on meanwhile.
 *
 *     kubeconfig of the first start ─> note ─> kubeconfig ─> restart ─> no note
 *
 * The note names the boot: a daemon that is killed in between restarts the kubelet when it starts again, unless the machine has
 * booted since.
 */
import type { ControllerConfigSpec } from '../../../api/index.ts';
import { base64Bytes, quoted } from '../../../base/text/index.ts';
import { authorityChange, BOOTSTRAP_KUBECONFIG, KUBELET_KUBECONFIG } from '../../plan/index.ts';
import type { HostContext } from '../context.ts';
import { KUBELET_RESTART } from '../state-paths.ts';

const MAX_KUBECONFIG_BYTES = 1024 ** 2;
const MAX_NOTE_BYTES = 1024;
const KUBELET = 'kubelet.service';

/** `configPaths`: files of configs, which are compared with them. Files that do not exist are not created. */
export async function syncKubeconfigs(
  work: HostContext,
  { rootCAData }: ControllerConfigSpec,
  configPaths: ReadonlySet<string>,
): Promise<void> {
  const bundle = new TextDecoder().decode(base64Bytes(rootCAData));
  for (const path of [BOOTSTRAP_KUBECONFIG, KUBELET_KUBECONFIG]) {
    if (configPaths.has(path)) work.log.warn(`Not syncing ${quoted(path)}: the config has this file`);
    else await syncKubeconfig(work, path, bundle);
  }
  await restartKubelet(work);
}

async function syncKubeconfig({ host, log }: HostContext, path: string, bundle: string): Promise<void> {
  const { files } = host;
  const stat = await files.stat(path);
  if (stat?.kind !== 'file' || stat.sizeBytes > MAX_KUBECONFIG_BYTES) return;
  const text = new TextDecoder().decode(await files.read(path, MAX_KUBECONFIG_BYTES));
  const change = authorityChange(text, bundle);
  if (change.kind === 'left') log.warn(`Not syncing ${quoted(path)}: ${change.why}`);
  if (change.kind !== 'change') return;
  if (path === KUBELET_KUBECONFIG && change.isUsed) {
    const bytes = new TextEncoder().encode(await host.bootId());
    await files.write(KUBELET_RESTART, { bytes, mode: 0o644 });
  }
  const { mode, owner } = stat;
  await files.write(path, { bytes: new TextEncoder().encode(change.text), mode: mode % 0o1000, owner });
  log.line(`Synced file ${quoted(path)}`);
}

async function restartKubelet({ host, log }: HostContext): Promise<void> {
  const { files, units } = host;
  const stat = await files.stat(KUBELET_RESTART);
  if (stat === undefined) return;
  const note = stat.kind === 'file' ? await files.read(KUBELET_RESTART, MAX_NOTE_BYTES) : undefined;
  const isOfThisBoot = new TextDecoder().decode(note) === (await host.bootId());
  if (isOfThisBoot && (await units.isKnown(KUBELET))) {
    log.line('Restarting kubelet: its kubeconfig has new CAs of the API server');
    await units.restart(KUBELET);
  }
  await files.removeFolder(KUBELET_RESTART);
}
