/**
 * Names and roles of the machines of the embedded cluster.
 */
import type { SimulatedNode } from '../controllers/index.ts';

export type MachineRole = 'master' | 'worker';
export type MachineName = `${MachineRole}-${number}`;

export type FleetSize = { readonly controlPlane: number; readonly workers: number };

export function machineNames({ controlPlane, workers }: FleetSize): readonly MachineName[] {
  const numbered = (role: MachineRole, count: number) =>
    Array.from({ length: count }, (_, index): MachineName => `${role}-${index}`);
  return [...numbered('master', controlPlane), ...numbered('worker', workers)];
}

export function machineRole(name: string): MachineRole | undefined {
  const match = /^(master|worker)-(0|[1-9]\d*)$/.exec(name);
  return match === null ? undefined : match[1] === 'master' ? 'master' : 'worker';
}

export function isMachineName(name: unknown): name is MachineName {
  return typeof name === 'string' && machineRole(name) !== undefined;
}

const ROLE = 'node-role.kubernetes.io';

/** The labels and taints with which its kubelet registers. */
export function simulatedNode(name: MachineName): SimulatedNode {
  if (machineRole(name) === 'worker') return { name, labels: { [`${ROLE}/worker`]: '' } };
  return {
    name,
    labels: { [`${ROLE}/control-plane`]: '', [`${ROLE}/master`]: '' },
    taints: [{ key: `${ROLE}/master`, effect: 'NoSchedule' }],
  };
}

/** By number, the control plane first. */
export function compareMachines(a: MachineName, b: MachineName): number {
  const [roleA, roleB] = [machineRole(a) ?? '', machineRole(b) ?? ''];
  if (roleA !== roleB) return roleA < roleB ? -1 : 1;
  return Number(a.split('-')[1]) - Number(b.split('-')[1]);
}
