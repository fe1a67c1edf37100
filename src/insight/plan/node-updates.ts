/**
 * What the nodes of a pool will do, by the function with which their daemons plan: nodes with the same update together.
 */
import {
  annotations,
  type ClusterDisruptionPolicies,
  type MachineConfig,
  machineConfiguration as machineConfigurationKind,
} from '../../api/index.ts';
import { ok } from '../../base/errors.ts';
import { canonicalJson } from '../../base/json.ts';
import { stringAt } from '../../base/json-fields.ts';
import { containerRuntimeOf } from '../../config/registries/index.ts';
import { annotationOf, nameOf } from '../../kubernetes/meta/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import {
  type ConfigChange,
  emptyNodeConfig,
  type MachineOs,
  mergePolicies,
  type NodeConfig,
  type PostAction,
  planUpdate,
  policyMatches,
  readNodeConfig,
  withRuntimeFiles,
} from '../../node/plan/index.ts';
import type { ClusterSnapshot } from '../snapshot/cluster-snapshot.ts';
import type { ActionReason, NodeUpdate, UpdateOutcome } from './plan-types.ts';

type ConfigLookup = (name: string) => MachineConfig | undefined;

type UpdateTarget = {
  readonly config: MachineConfig;
  /** The image of image mode. */
  readonly image?: string;
  /** The policies after the change. */
  readonly policies: ClusterDisruptionPolicies;
};

/** The policies that the operator will have merged. */
export function policiesOf(snapshot: ClusterSnapshot): ClusterDisruptionPolicies {
  return mergePolicies(
    snapshot.get(machineConfigurationKind, { name: 'cluster' })?.spec.nodeDisruptionPolicy,
  );
}

/** `nodes`: in the order in which they go. `configOf`: their present configs by name. */
export function nodeUpdates(
  configOf: ConfigLookup,
  nodes: readonly Node[],
  target: UpdateTarget,
): readonly NodeUpdate[] {
  const groups = new Map<string, { readonly first: Node; readonly names: string[] }>();
  for (const node of nodes) {
    const key = canonicalJson({ ...startOf(node), machine: machineOf(node), runtime: runtimeOf(node) });
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { first: node, names: [nameOf(node)] });
    else group.names.push(nameOf(node));
  }
  return alike(
    [...groups.values()].map(({ first, names }) => ({ nodes: names, ...updateOf(configOf, first, target) })),
  );
}

/** Different machines often do the same. */
function alike(updates: readonly NodeUpdate[]): readonly NodeUpdate[] {
  const merged = new Map<string, NodeUpdate>();
  for (const { nodes, ...update } of updates) {
    const key = JSON.stringify(update);
    merged.set(key, { nodes: [...(merged.get(key)?.nodes ?? []), ...nodes], ...update });
  }
  return [...merged.values()];
}

/** What a node would do that has the first config: for pools without nodes. */
export function typicalUpdate(
  from: MachineConfig | undefined,
  target: UpdateTarget & { readonly fromImage?: string },
): NodeUpdate {
  const start = from === undefined ? EMPTY : read(from, target.fromImage);
  const machine = { isImageBased: true, isEnterpriseLinux: true, kernelArguments: [] };
  return {
    nodes: [],
    ...(from && { from: from.metadata.name }),
    ...plannedUpdate(start, target, { machine }),
  };
}

const EMPTY = emptyNodeConfig({ osImage: '', kernelArguments: [], isFips: false });

type Start = { readonly config: string; readonly image: string };

function startOf(node: Node): Start {
  return {
    config: annotationOf(node, annotations.currentConfig) ?? '',
    image: annotationOf(node, annotations.currentImage) ?? '',
  };
}

function updateOf(configOf: ConfigLookup, node: Node, target: UpdateTarget): Omit<NodeUpdate, 'nodes'> {
  const { config, image } = startOf(node);
  const present = configOf(config);
  if (present === undefined) {
    const message =
      config === ''
        ? 'its daemon has not reported a config yet'
        : `its present config ${config} does not exist any more`;
    return { ...(config === '' ? {} : { from: config }), outcome: { kind: 'unknown', message }, reasons: [] };
  }
  return {
    from: config,
    ...plannedUpdate(read(present, image), target, { machine: machineOf(node), runtime: runtimeOf(node) }),
  };
}

type Machine = { readonly machine: MachineOs; readonly runtime?: string | undefined };

function plannedUpdate(
  from: NodeConfig | string,
  target: UpdateTarget,
  { machine, runtime }: Machine,
): Pick<NodeUpdate, 'outcome' | 'reasons'> {
  const to = read(target.config, target.image);
  if (typeof from === 'string' || typeof to === 'string') {
    const message = typeof from === 'string' ? from : String(to);
    return { outcome: { kind: 'unknown', message }, reasons: [] };
  }
  const result = planUpdate({
    from: withRuntimeFiles(from, runtime),
    to: withRuntimeFiles(to, runtime),
    policies: ok(target.policies),
    // Which arguments the running kernel has is known to the node alone.
    machine: { ...machine, kernelArguments: from.kernelArguments },
    ...(runtime === undefined ? {} : { runtime }),
  });
  if (result.kind !== 'plan') {
    const kind = result.kind === 'unreconcilable' ? 'unreconcilable' : 'unknown';
    return { outcome: { kind, message: result.error }, reasons: [] };
  }
  const { actions, needsDrain, needsReboot, change } = result.plan;
  const outcome: UpdateOutcome = { kind: 'update', actions, needsDrain, needsReboot };
  return { outcome, reasons: [...osReasons(change), ...policyMatches(change, target.policies)] };
}

/** The config, or why it cannot be read. */
function read(config: MachineConfig, image: string | undefined): NodeConfig | string {
  const outcome = readNodeConfig(config, image);
  return outcome.kind === 'ok' ? outcome.value : (outcome.problems[0]?.message ?? 'it cannot be read');
}

const REBOOT: readonly PostAction[] = [{ type: 'Reboot' }];

/** What changes the next boot has no policy: it always needs a reboot. */
function osReasons(change: ConfigChange): readonly ActionReason[] {
  const parts = [
    ['OS image', change.osImage],
    ['kernel arguments', change.kernelArguments],
    ['kernel type', change.kernelType],
    ['extensions', change.extensions],
    ['FIPS', change.fips],
  ] as const;
  return parts.flatMap(([name, isChanged]) => (isChanged ? [{ kind: 'os', name, actions: REBOOT }] : []));
}

/** As its kubelet reports it; the daemon reads os-release itself. */
function machineOf(node: Node): MachineOs {
  const os = stringAt(node, 'status', 'nodeInfo', 'osImage');
  // A node whose kubelet has not reported is most likely of the kind that the configs are for.
  const isImageBased = os === '' || /CoreOS/.test(os);
  return {
    isImageBased,
    isEnterpriseLinux: os === '' || (isImageBased && /Red Hat|Enterprise Linux|CentOS/.test(os)),
    kernelArguments: [],
  };
}

function runtimeOf(node: Node): string | undefined {
  return containerRuntimeOf(node);
}
