/** A rendered MachineConfig that changes nothing on any node: that of a pool without MachineConfigs, and without an OS image. */
import type { MachineConfig } from '../../api/index.ts';
import { jsonEqual } from '../../base/json.ts';
import { mergeSources } from './merge-sources.ts';

const { spec: EMPTY } = mergeSources([], { osImageURL: '', baseOSExtensionsContainerImage: '' });

export function isEmptyRendered({ spec }: MachineConfig): boolean {
  return jsonEqual(spec, EMPTY);
}
