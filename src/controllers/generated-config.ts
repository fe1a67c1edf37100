/**
 * Generated MachineConfigs: created, and restored whenever they were modified. Labels and annotations of others stay.
 */
import { type MachineConfig, machineConfig as machineConfigKind } from '../api/index.ts';
import { jsonEqual } from '../base/json.ts';
import type { Kube } from '../kubernetes/client/index.ts';

/** False where it exists unchanged. A stale `existing` leads to a conflict. */
export async function writeGenerated(
  kube: Kube,
  wanted: MachineConfig,
  { existing, fieldManager }: { readonly existing: MachineConfig | undefined; readonly fieldManager: string },
): Promise<boolean> {
  if (existing === undefined) await kube.apply(machineConfigKind, wanted, { fieldManager });
  else if (holds(existing, wanted)) return false;
  else await kube.update(machineConfigKind, restored(existing, wanted), { fieldManager });
  return true;
}

/** Replaced as a whole: an apply would keep fields that others added, and nodes would get them. */
function restored({ metadata }: MachineConfig, wanted: MachineConfig): MachineConfig {
  return {
    ...wanted,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...wanted.metadata.labels },
      annotations: { ...metadata.annotations, ...wanted.metadata.annotations },
      ownerReferences: wanted.metadata.ownerReferences ?? [],
    },
  };
}

/** Whether it has the wanted content; labels and annotations of others do not matter. */
function holds(existing: MachineConfig, wanted: MachineConfig): boolean {
  const has = (map: { readonly [key: string]: string } = {}, part: { readonly [key: string]: string } = {}) =>
    Object.entries(part).every(([key, value]) => map[key] === value);
  return (
    has(existing.metadata.labels, wanted.metadata.labels) &&
    has(existing.metadata.annotations, wanted.metadata.annotations) &&
    jsonEqual(existing.metadata.ownerReferences ?? [], wanted.metadata.ownerReferences ?? []) &&
    jsonEqual(existing.spec, wanted.spec)
  );
}

/** Whether a MachineConfig has changed in a way that would be restored. */
export function hasDrifted(before: MachineConfig | undefined, after: MachineConfig | undefined): boolean {
  return !jsonEqual(contentOf(before), contentOf(after));
}

function contentOf(machineConfig: MachineConfig | undefined) {
  const { labels, annotations, ownerReferences } = machineConfig?.metadata ?? {};
  return [machineConfig?.spec, labels, annotations, ownerReferences];
}
