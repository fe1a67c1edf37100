/**
 * Configs as read by nodes, for tests.
 */
import type { MachineConfigSpec } from '../../src/api/index.ts';
import { formatProblem } from '../../src/base/errors.ts';
import type { IgnitionConfig } from '../../src/config/ignition/index.ts';
import { type MachineOs, type NodeConfig, readNodeConfig } from '../../src/node/plan/index.ts';
import { aConfig, aMachineConfig } from './build.ts';

export type NodeConfigParts = Omit<IgnitionConfig, 'ignition'> & {
  /** Other fields of the MachineConfig's spec. */
  readonly spec?: MachineConfigSpec;
  /** For image mode. */
  readonly image?: string;
};

/** Ignition 3.5.0 with these sections. Invalid sections are an error of the test. */
export function aNodeConfig(name: string, { spec, image, ...sections }: NodeConfigParts = {}): NodeConfig {
  const config = readNodeConfig(aMachineConfig(name, { config: aConfig(sections), ...spec }), image);
  if (config.kind === 'invalid') throw new Error(config.problems.map(formatProblem).join(', '));
  return config.value;
}

/** A machine that can have any OS. */
export const COREOS: MachineOs = { isImageBased: true, isEnterpriseLinux: true, kernelArguments: [] };
