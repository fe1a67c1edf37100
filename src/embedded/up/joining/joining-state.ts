/**
 * How far a machine that is up has come as a node of its pool.
 */
import { annotations, type MachineConfigNode, type MachineConfigPool } from '../../../api/index.ts';
import { printableLine } from '../../../base/text/index.ts';
import { nameOf } from '../../../kubernetes/meta/index.ts';
import type { Node } from '../../../kubernetes/types/index.ts';
import { isDone, membershipOf, unreadyReason } from '../../../rollout/index.ts';

/** `hasJoined`: it is Updated, or has a config of its pool and gets another one once a person resumes that. */
type JoiningState = { readonly hasJoined: boolean; readonly line: string };

type Joined = {
  readonly node: Node | undefined;
  readonly machineConfigNode: MachineConfigNode | undefined;
  /** Which it was installed for. */
  readonly pool: string;
  readonly pools: readonly MachineConfigPool[];
  /** Of the cluster: others may hold up its pool. */
  readonly nodes: readonly Node[];
};

export function joiningState({ node, machineConfigNode, pool, pools, nodes }: Joined): JoiningState {
  const waiting = (line: string): JoiningState => ({ hasJoined: false, line });
  if (node === undefined) return waiting('is up; its kubelet has not registered yet');
  if (!isTrue(node.status?.conditions, 'Ready')) return waiting('is registered, and not Ready yet');
  const marks = node.metadata.annotations ?? {};
  const current = marks[annotations.currentConfig] ?? '';
  if (current === '') return waiting('is Ready; its daemon has not reported yet');
  const { spec } = pools.find((one) => nameOf(one) === pool) ?? {};
  const target = spec?.configuration?.name ?? '';
  const reason = marks[annotations.reason] ?? '';
  const state = marks[annotations.state] ?? '';
  if (state === 'Degraded') return waiting(`is Degraded: ${reason}`);
  const isOfPool = nameOf(membershipOf(node, pools).primary) === pool;
  const isSettled = isDone(node) && node.spec.unschedulable !== true;
  if (current !== target) {
    if (!isSettled || !isOfPool) return waiting(`is Ready with ${current}, and is to have ${target}`);
    if (spec?.paused !== true) return waiting(turnText({ node, pools, nodes, current, target }));
    const line = `is Ready with ${current}; pool ${pool} is paused: it gets ${target} once that is resumed (millwright resume ${pool})`;
    return { hasJoined: true, line };
  }
  const isComplete = state === 'Done' && node.spec.unschedulable !== true;
  if (!isComplete || !isTrue(machineConfigNode?.status?.conditions, 'Updated')) {
    return waiting(`is Ready with ${current}; its daemon has not completed yet`);
  }
  // A node registers as a worker. The controller gives it the labels of a custom pool, at whatever time it sees the node.
  if (!isOfPool) return waiting(`is Ready with ${current}, and has no labels yet that pool ${pool} selects`);
  return { hasJoined: true, line: `is Updated: ${current}` };
}

type Turn = {
  readonly node: Node;
  readonly pools: readonly MachineConfigPool[];
  readonly nodes: readonly Node[];
  readonly current: string;
  readonly target: string;
};

/** What a node that has a config of its pool waits for: others of the pool go first, or hold it up. */
function turnText({ node, pools, nodes, current, target }: Turn): string {
  const poolOf = (one: Node) => nameOf(membershipOf(one, pools).primary);
  const others = nodes.filter((one) => nameOf(one) !== nameOf(node) && poolOf(one) === poolOf(node));
  const holding = others.flatMap((one) => holdingText(one) ?? []);
  const why = holding.length === 0 ? '' : `: ${holding.slice(0, MAX_NAMED).join('; ')}`;
  return `is Ready with ${current}, and gets ${target} in its turn${why}`;
}

/** Enough to see what is wrong with a pool: `millwright doctor` says the rest. */
const MAX_NAMED = 3;

function holdingText(node: Node): string | undefined {
  const { [annotations.state]: state = '', [annotations.reason]: reason = '' } =
    node.metadata.annotations ?? {};
  if (state === 'Degraded' || state === 'Unreconcilable') {
    return `${nameOf(node)} is ${state}: ${printableLine(reason)}`;
  }
  return unreadyReason(node);
}

type Conditions = readonly { readonly type?: string; readonly status?: string }[];

function isTrue(conditions: Conditions | undefined, type: string): boolean {
  return (conditions ?? []).some((one) => one.type === type && one.status === 'True');
}
