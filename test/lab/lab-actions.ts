/** Queries and actions on the cluster and its machines, shared by the tests of the lab. */
import {
  annotations,
  type MachineConfig,
  machineConfig as machineConfigKind,
  machineConfigNode as machineConfigNodeKind,
  machineConfigPool as machineConfigPoolKind,
} from '../../src/api/index.ts';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import { isPoolUpdated } from '../rollout/build-world.ts';
import type { Lab } from './lab.ts';
import type { Machine, PowerEvent } from './machine.ts';
import { until } from './until.ts';

export const POOL = 'worker';

/** A rollout to both machines, each with a pull and a reboot, on a computer that has other things to do. */
export const ROLLOUT_LIMIT_MS = 300_000;

export type Wanted = {
  readonly osImageURL?: string;
  readonly kernelArguments?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly units?: Readonly<Record<string, string>>;
};

/** Units are enabled. */
export function aConfig(
  name: string,
  { osImageURL, kernelArguments, files = {}, units = {} }: Wanted,
): MachineConfig {
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name, labels: { 'machineconfiguration.openshift.io/role': POOL } },
    spec: {
      ...(osImageURL === undefined ? {} : { osImageURL }),
      ...(kernelArguments === undefined ? {} : { kernelArguments: [...kernelArguments] }),
      config: {
        ignition: { version: '3.4.0' },
        storage: {
          files: Object.entries(files).map(([path, text]) => ({
            path,
            mode: 0o644,
            overwrite: true,
            contents: { source: `data:,${encodeURIComponent(text)}` },
          })),
        },
        systemd: {
          units: Object.entries(units).map(([unit, contents]) => ({ name: unit, enabled: true, contents })),
        },
      },
    },
  };
}

/** Applies or deletes a config, and waits until the pool has another target. Returns its name. */
export async function change(lab: Lab, config: MachineConfig | { readonly remove: string }): Promise<string> {
  const { kube } = lab.controlPlane;
  const before = await target(lab);
  if ('remove' in config) await kube.delete(machineConfigKind, { name: config.remove });
  else await kube.apply(machineConfigKind, config);
  await eventually(lab, 'the pool has a new target', async () => (await target(lab)) !== before);
  return await target(lab);
}

export async function target({ controlPlane }: Lab): Promise<string> {
  const pool = await controlPlane.kube.get(machineConfigPoolKind, { name: POOL });
  return pool?.spec.configuration?.name ?? '';
}

/** Returns the maximum number of nodes that were cordoned at the same time. */
export async function untilUpdated(lab: Lab): Promise<number> {
  const { kube } = lab.controlPlane;
  let most = 0;
  await eventually(lab, 'the pool is updated', async () => {
    const { items } = await kube.list(nodeKind);
    most = Math.max(most, items.filter(({ spec }) => spec.unschedulable === true).length);
    const pool = await kube.get(machineConfigPoolKind, { name: POOL });
    const isWhole = pool?.status?.updatedMachineCount === lab.machines.length;
    return pool !== undefined && isWhole && isPoolUpdated(pool);
  });
  return most;
}

export async function poolCondition({ controlPlane }: Lab, type: string): Promise<string> {
  const pool = await controlPlane.kube.get(machineConfigPoolKind, { name: POOL });
  const found = pool?.status?.conditions?.find((one) => one.type === type);
  return `${found?.status ?? ''} ${found?.message ?? ''}`.trim();
}

export async function nodeCondition({ controlPlane }: Lab, name: string, type: string): Promise<string> {
  const node = await controlPlane.kube.get(machineConfigNodeKind, { name });
  const found = node?.status?.conditions?.find((one) => one.type === type);
  return `${found?.status ?? ''} ${found?.message ?? ''}`.trim();
}

/** An annotation of the Node. */
export async function nodeAnnotation(
  { controlPlane }: Lab,
  name: string,
  key: keyof typeof annotations,
): Promise<string> {
  const node = await controlPlane.kube.get(nodeKind, { name });
  return node?.metadata.annotations?.[annotations[key]] ?? '';
}

export async function eventually(lab: Lab, what: string, holds: () => Promise<boolean>): Promise<void> {
  await until(what, { limitMs: ROLLOUT_LIMIT_MS, explain: lab.explain }, holds);
}

/** The output of a command on the machine. */
export async function output(machine: Machine, ...command: readonly string[]): Promise<string> {
  return (await machine.run(command)).stdout.trim();
}

/** The maximum number of machines that were off at the same time. */
export function mostDown(machines: readonly Machine[], since: readonly number[]): number {
  const events = machines.flatMap(({ history }, index) => history.slice(since[index] ?? 0));
  let down = 0;
  let most = 0;
  for (const { kind } of events.toSorted((a: PowerEvent, b: PowerEvent) => a.atMs - b.atMs)) {
    down += kind === 'down' ? 1 : -1;
    most = Math.max(most, down);
  }
  return most;
}
