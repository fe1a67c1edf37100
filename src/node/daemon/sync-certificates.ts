/**
 * Syncs certificates and the credentials of the internal registry from the ControllerConfig. That is no update: nothing is
 * drained or rebooted.
 */
import { annotations, type ControllerConfig } from '../../api/index.ts';
import { base64Bytes } from '../../base/text/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import { CLOUD_CA, INTERNAL_PULL_SECRET, KUBELET_CA } from '../plan/index.ts';
import type { HostContext } from './context.ts';

/** Returns the annotation with the synced version, or undefined where nothing is new. */
export async function syncCertificates(
  work: HostContext,
  node: Node,
  controllerConfig: ControllerConfig | undefined,
): Promise<{ readonly [key: string]: string } | undefined> {
  const version = controllerConfig?.metadata.resourceVersion;
  if (controllerConfig === undefined || version === undefined) return undefined;
  const key = annotations.lastSyncedControllerConfigResourceVersion;
  if (node.metadata.annotations?.[key] === version) return undefined;
  const { internalRegistryPullSecret, kubeAPIServerServingCAData, cloudProviderCAData } =
    controllerConfig.spec ?? {};
  await syncFile(work, INTERNAL_PULL_SECRET, { data: internalRegistryPullSecret, mode: 0o600, isPem: false });
  await syncFile(work, KUBELET_CA, { data: kubeAPIServerServingCAData, mode: 0o644, isPem: true });
  await syncFile(work, CLOUD_CA, { data: cloudProviderCAData, mode: 0o644, isPem: true });
  work.log.line(`Certificate was synced from controllerconfig resourceVersion ${version}`);
  return { [key]: version };
}

type Wanted = { readonly data: string | null | undefined; readonly mode: number; readonly isPem: boolean };

/** A changed mode is kept. Without data the file stays unchanged. */
async function syncFile({ host }: HostContext, path: string, { data, mode, isPem }: Wanted): Promise<void> {
  const given = data ? base64Bytes(data) : undefined;
  if (given === undefined || given.length === 0) return;
  const bytes = isPem ? withNewline(given) : given;
  const there = await host.files.stat(path);
  if (there?.kind === 'file' && there.sizeBytes === bytes.length) {
    const before = await host.files.read(path, bytes.length);
    if (before !== undefined && bytes.every((byte, index) => byte === before[index])) return;
  }
  const isPlain = there?.kind === 'file' && there.mode <= 0o777;
  await host.files.write(path, { bytes, mode: isPlain ? there.mode : mode });
}

function withNewline(bytes: Uint8Array): Uint8Array {
  const newline = 0x0a;
  return bytes.at(-1) === newline ? bytes : new Uint8Array([...bytes, newline]);
}
