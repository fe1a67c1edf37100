/**
 * How far a machine that is up has come as a node of its pool.
 */
import { annotations, type MachineConfigNode, type MachineConfigPool } from '../../../api/index.ts';
import { nameOf } from '../../../kubernetes/meta/index.ts';
import type { Node } from '../../../kubernetes/types/index.ts';
import { membershipOf } from '../../../rollout/index.ts';

type JoiningState = { readonly isUpdated: boolean; readonly line: string };

type Joined = {
  readonly node: Node | undefined;
  readonly machineConfigNode: MachineConfigNode | undefined;
  /** Which it was installed for. */
  readonly pool: string;
  readonly pools: readonly MachineConfigPool[];
};

export function joiningState({ node, machineConfigNode, pool, pools }: Joined): JoiningState {
  const waiting = (line: string): JoiningState => ({ isUpdated: false, line });
  if (node === undefined) return waiting('is up; its kubelet has not registered yet');
  if (!isTrue(node.status?.conditions, 'Ready')) return waiting('is registered, and not Ready yet');
  const marks = node.metadata.annotations ?? {};
  const current = marks[annotations.currentConfig] ?? '';
  if (current === '') return waiting('is Ready; its daemon has not reported yet');
  const target = pools.find((one) => nameOf(one) === pool)?.spec.configuration?.name ?? '';
  const reason = marks[annotations.reason] ?? '';
  const state = marks[annotations.state] ?? '';
  if (state === 'Degraded') return waiting(`is Degraded: ${reason}`);
  if (current !== target) return waiting(`is Ready with ${current}, and is to have ${target}`);
  const isDone = state === 'Done' && node.spec.unschedulable !== true;
  if (!isDone || !isTrue(machineConfigNode?.status?.conditions, 'Updated')) {
    return waiting(`is Ready with ${current}; its daemon has not completed yet`);
  }
  // A node registers as a worker. The controller gives it the labels of a custom pool, at whatever time it sees the node.
  if (nameOf(membershipOf(node, pools).primary) !== pool) {
    return waiting(`is Ready with ${current}, and has no labels yet that pool ${pool} selects`);
  }
  return { isUpdated: true, line: `is Updated: ${current}` };
}

type Conditions = readonly { readonly type?: string; readonly status?: string }[];

function isTrue(conditions: Conditions | undefined, type: string): boolean {
  return (conditions ?? []).some((one) => one.type === type && one.status === 'True');
}
