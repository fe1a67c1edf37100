/**
 * MachineConfigs that are generated: made, and put back whenever somebody has changed them. Labels and annotations that
 * others added stay.
 */
import { type MachineConfig, machineConfig as machineConfigKind } from '../api/index.ts';
import { jsonEqual } from '../base/json.ts';
import type { Kube } from '../kubernetes/client/index.ts';

/** False where it stands there already. Onto the one that was seen: where another has come meanwhile it is refused. */
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

/** As a whole: applying it would leave in place what somebody added to it, and nodes would get that. */
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

/** Whether it is what we would write; labels and annotations that others added do not matter. */
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

/** Whether something about a MachineConfig has changed that we would put back. */
export function isMeddledWith(before: MachineConfig | undefined, after: MachineConfig | undefined): boolean {
  return !jsonEqual(contentOf(before), contentOf(after));
}

function contentOf(machineConfig: MachineConfig | undefined) {
  const { labels, annotations, ownerReferences } = machineConfig?.metadata ?? {};
  return [machineConfig?.spec, labels, annotations, ownerReferences];
}
