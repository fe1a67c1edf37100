/**
 * The desired configuration in the spec of a MachineConfigNode. It is written before its node is sent, and afterwards where
 * it differs: a node joins with a first configuration, and a MachineConfigNode may be created later than its node.
 *
 * The image is there only with the feature gate ImageModeStatusReporting.
 */
import { annotations, type MachineConfigNode } from '../api/index.ts';
import type { Node } from '../kubernetes/types/index.ts';
import { desiredAnnotations, type PoolTarget } from '../rollout/index.ts';
import type { ControllerSettings } from './settings.ts';

/** `null` removes a field. */
type NodeRecord = {
  readonly configVersion: { readonly desired: string };
  readonly configImage: { readonly desiredImage: string } | null;
};

export function recordOfTarget(target: PoolTarget, gate: ImageGate): NodeRecord {
  return recordOf(desiredAnnotations(target), gate);
}

export type ImageGate = Pick<ControllerSettings, 'isImageModeReported'>;

/** Undefined for a node that was never sent anywhere. */
export function recordOfNode({ metadata }: Node, gate: ImageGate): NodeRecord | undefined {
  const record = recordOf(metadata.annotations ?? {}, gate);
  return record.configVersion.desired === '' ? undefined : record;
}

export function isRecordStale(node: Node, { spec }: MachineConfigNode, gate: ImageGate): boolean {
  const wanted = recordOfNode(node, gate);
  if (wanted === undefined) return false;
  return (
    spec.configVersion.desired !== wanted.configVersion.desired ||
    (spec.configImage?.desiredImage ?? '') !== (wanted.configImage?.desiredImage ?? '')
  );
}

function recordOf(
  desired: { readonly [key: string]: string | null },
  { isImageModeReported }: ImageGate,
): NodeRecord {
  const image = isImageModeReported ? (desired[annotations.desiredImage] ?? '') : '';
  return {
    configVersion: { desired: desired[annotations.desiredConfig] ?? '' },
    configImage: image === '' ? null : { desiredImage: image },
  };
}
