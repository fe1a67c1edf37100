/** Configs as nodes read them, for tests. */
import type { MachineConfigSpec } from '../src/api/index.ts';
import { formatProblem } from '../src/base/errors.ts';
import type { IgnitionConfig } from '../src/config/ignition/index.ts';
import { type NodeConfig, readNodeConfig } from '../src/node/plan/index.ts';
import { aConfig, aMachineConfig } from './build.ts';

export type NodeConfigParts = Omit<IgnitionConfig, 'ignition'> & {
  /** What the MachineConfig says beside its Ignition config. */
  readonly spec?: MachineConfigSpec;
  /** Of image mode. */
  readonly image?: string;
};

/** Ignition 3.5.0 with these sections. A test that hands in what cannot be read is wrong. */
export function aNodeConfig(name: string, { spec, image, ...sections }: NodeConfigParts = {}): NodeConfig {
  const config = readNodeConfig(aMachineConfig(name, { config: aConfig(sections), ...spec }), image);
  if (config.kind === 'invalid') throw new Error(config.problems.map(formatProblem).join(', '));
  return config.value;
}
