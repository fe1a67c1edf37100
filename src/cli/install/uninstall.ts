/**
 * Removes Millwright from a cluster, also in the middle of a rollout. Nodes stay as they are.
 *
 *     controllers ─> builds ─> daemons ─> permissions ─> nodes ─> [CRDs]
 *
 * The order matters: without controllers nothing new is sent to a node or drained; each daemon ends the step that it is in; and a
 * node is released once nothing is left that could cordon it again. Every step finds out what is left to do, so an interrupted
 * run is completed by the next one.
 */
import { kinds, NAMESPACE } from '../../api/index.ts';
import type { Clock } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { listAt, optionalStringAt, stringAt } from '../../base/json-fields.ts';
import { sleep } from '../../base/waiting.ts';
import { releaseNode, unfinishedUpdate } from '../../install/index.ts';
import {
  type AnyObject,
  isConflict,
  type Kube,
  KubeError,
  type ResourceOf,
} from '../../kubernetes/client/index.ts';
import { crdName, nameOf } from '../../kubernetes/meta/index.ts';
import { anyObject } from '../../kubernetes/schema/index.ts';
import {
  customResourceDefinition,
  findBuiltin,
  job as jobKind,
  lease as leaseKind,
  type Node,
  node as nodeKind,
  type Pod,
  pod as podKind,
} from '../../kubernetes/types/index.ts';

export type Uninstallation = {
  readonly kube: Kube;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Everything that may have been installed, without CRDs. */
  readonly objects: readonly JsonObject[];
  readonly deletesCrds: boolean;
  readonly isDryRun: boolean;
  /** How long pods may take to end. */
  readonly timeoutMs: number;
  readonly print: (line: string) => void;
};

const CONTROLLERS = ['machine-config-operator', 'machine-config-controller', 'machine-os-builder'];
const DAEMON = 'machine-config-daemon';
const LEASES = ['machine-config', 'machine-config-controller', 'machine-os-builder'];
const POLL_MS = 1_000;

/** Throws a `Failure` (`PodsRemain`) where pods do not end in time. */
export async function uninstall(uninstallation: Uninstallation): Promise<void> {
  const { objects, deletesCrds } = uninstallation;
  const ofKinds = (...some: readonly string[]) => objects.filter(({ kind }) => some.includes(String(kind)));
  await deleteObjects(uninstallation, ofKinds('Deployment'));
  await waitForPods(uninstallation, CONTROLLERS);
  await deleteBuildJobs(uninstallation);
  await deleteObjects(uninstallation, ofKinds('DaemonSet'));
  await waitForPods(uninstallation, [DAEMON]);
  const workloads = ['Deployment', 'DaemonSet', 'Namespace'];
  const others = objects.filter(({ kind }) => !workloads.includes(String(kind)));
  // Accounts and permissions before the policies that guard them.
  await deleteObjects(uninstallation, others.toReversed());
  for (const name of LEASES) await deleteOne(uninstallation, leaseKind, { name, namespace: NAMESPACE });
  const unfinished = await releaseNodes(uninstallation);
  if (deletesCrds) await deleteCrds(uninstallation);
  await reportRemains(uninstallation, unfinished);
}

type Resource = ResourceOf<AnyObject>;
type Place = { readonly name: string; readonly namespace?: string };

/** Not served by the embedded cluster, and so not among the built-in kinds. */
const NETWORK_POLICY: Resource = {
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  scope: 'Namespaced',
  schema: anyObject('Not read.'),
} as Resource;

function resourceOf(object: JsonObject): Resource {
  const [apiVersion, kind] = [stringAt(object, 'apiVersion'), stringAt(object, 'kind')];
  // A resource of the API; nothing of its objects but their metadata is used.
  return kind === NETWORK_POLICY.kind
    ? NETWORK_POLICY
    : (findBuiltin(apiVersion, kind) as unknown as Resource);
}

async function deleteObjects(uninstallation: Uninstallation, objects: readonly JsonObject[]): Promise<void> {
  const deleted = new Map<string, number>();
  for (const object of objects) {
    const namespace = optionalStringAt(object, 'metadata', 'namespace');
    const place = {
      name: stringAt(object, 'metadata', 'name'),
      ...(namespace === undefined ? {} : { namespace }),
    };
    const kind = String(object.kind);
    if (await deleteOne(uninstallation, resourceOf(object), place))
      deleted.set(kind, (deleted.get(kind) ?? 0) + 1);
  }
  for (const [kind, count] of deleted) uninstallation.print(`${did(uninstallation)} ${kind}: ${count}`);
}

const did = ({ isDryRun }: Uninstallation): string => (isDryRun ? 'would delete' : 'deleted');

async function deleteOne(
  { kube, isDryRun, signal }: Uninstallation,
  resource: Resource,
  place: Place,
): Promise<boolean> {
  if (signal.aborted) throw new Failure('cancelled', 'Cancelled', 'stopped');
  try {
    if (isDryRun) return (await kube.get(resource, place)) !== undefined;
    return await kube.delete(resource, place, { propagationPolicy: 'Background' });
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** The object, or its whole resource, does not exist. */
function isMissing(error: unknown): boolean {
  return error instanceof KubeError && error.code === 404;
}

/** Build pods run commands of Containerfiles: nobody would look after them. */
async function deleteBuildJobs(uninstallation: Uninstallation): Promise<void> {
  const { items } = await uninstallation.kube.list(jobKind, { namespace: NAMESPACE });
  const builds = items.filter(({ metadata }) =>
    metadata.ownerReferences?.some(({ kind }) => kind === 'MachineOSBuild'),
  );
  for (const build of builds) {
    const place = { name: nameOf(build), namespace: NAMESPACE };
    if (await deleteOne(uninstallation, jobKind, place))
      uninstallation.print(`${did(uninstallation)} the build ${nameOf(build)}`);
  }
}

/** Pods of nodes that are not ready cannot report that they ended; they lose their permissions instead. */
async function waitForPods(uninstallation: Uninstallation, apps: readonly string[]): Promise<void> {
  const { kube, clock, signal, isDryRun, timeoutMs, print } = uninstallation;
  if (isDryRun) return;
  const labelSelector = `k8s-app in (${apps.join(',')})`;
  const deadline = clock.monotonic() + timeoutMs;
  let printed = '';
  for (;;) {
    const [{ items: pods }, { items: nodes }] = await Promise.all([
      kube.list(podKind, { namespace: NAMESPACE, labelSelector }),
      kube.list(nodeKind),
    ]);
    const waited = pods.filter((pod) => isRunning(pod) && isReachable(pod, nodes));
    if (waited.length === 0) return;
    const line = `waiting for pods to end their work: ${waited.map(nameOf).join(', ')}`;
    if (line !== printed) print(line);
    printed = line;
    if (clock.monotonic() >= deadline) {
      const message = `these pods still run: ${waited.map(nameOf).join(', ')}: run the command again, with a longer --timeout, or delete them`;
      throw new Failure('stalled', 'PodsRemain', message);
    }
    await sleep(clock, { delayMs: POLL_MS, signal });
    if (signal.aborted) throw new Failure('cancelled', 'Cancelled', 'stopped');
  }
}

function isRunning({ status }: Pod): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

/** A pod without a node has no work; the kubelet of a node whose state is unknown answers nobody. */
function isReachable({ spec }: Pod, nodes: readonly Node[]): boolean {
  const found = nodes.find((one) => nameOf(one) === spec.nodeName);
  const ready = found?.status?.conditions?.find(({ type }) => type === 'Ready');
  return found !== undefined && ready?.status !== 'Unknown';
}

/** Returns a line for each node that is in the middle of an update. */
async function releaseNodes(uninstallation: Uninstallation): Promise<readonly string[]> {
  const { items } = await uninstallation.kube.list(nodeKind);
  const unfinished: string[] = [];
  for (const listed of items) {
    const config = unfinishedUpdate(listed);
    if (config !== undefined)
      unfinished.push(`node ${nameOf(listed)} is in the middle of its update to ${config}`);
    await releaseOne(uninstallation, listed);
  }
  return unfinished;
}

async function releaseOne(uninstallation: Uninstallation, listed: Node): Promise<void> {
  const { kube, isDryRun, deletesCrds, print, signal } = uninstallation;
  const name = nameOf(listed);
  for (
    let found: Node | undefined = listed;
    found !== undefined;
    found = await kube.get(nodeKind, { name })
  ) {
    if (signal.aborted) throw new Failure('cancelled', 'Cancelled', 'stopped');
    const release = releaseNode(found, { areConfigsDeleted: deletesCrds });
    if (release === undefined) return;
    try {
      if (!isDryRun) await kube.patch(nodeKind, { name }, { type: 'merge', body: release.patch });
      print(`node ${name}: ${release.changes.join(', ')}${isDryRun ? ' (dry run)' : ''}`);
      return;
    } catch (error) {
      if (isMissing(error)) return;
      // Somebody has written the Node: decided anew, as it may have been a person who cordoned it.
      if (!isConflict(error)) throw error;
    }
  }
}

async function deleteCrds(uninstallation: Uninstallation): Promise<void> {
  const { kube, clock, signal, isDryRun, timeoutMs, print } = uninstallation;
  for (const kind of kinds) {
    const resource = kind as unknown as Resource;
    // Finalizers of ours have no controller any more, and would keep the objects, and the CRD, for ever.
    for (const one of await objectsOf(kube, resource)) {
      if (isDryRun || listAt(one.metadata, 'finalizers').length === 0) continue;
      const { name, namespace } = one.metadata;
      const place = { name, ...(namespace === undefined ? {} : { namespace }) };
      await kube
        .patch(resource, place, { type: 'merge', body: { metadata: { finalizers: null } } })
        .catch(ignoreMissing);
    }
    await deleteOne(uninstallation, customResourceDefinition, { name: crdName(kind) });
  }
  if (isDryRun) return;
  const deadline = clock.monotonic() + timeoutMs;
  for (const kind of kinds) {
    while ((await kube.get(customResourceDefinition, { name: crdName(kind) })) !== undefined) {
      if (signal.aborted) throw new Failure('cancelled', 'Cancelled', 'stopped');
      if (clock.monotonic() >= deadline)
        throw new Failure(
          'stalled',
          'CrdRemains',
          `the CRD ${crdName(kind)} is still being deleted: run the command again`,
        );
      await sleep(clock, { delayMs: POLL_MS, signal });
    }
  }
  print(`deleted CustomResourceDefinition: ${kinds.length}`);
}

function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}

/** None where the CRD does not exist. */
async function objectsOf(kube: Kube, resource: Resource): Promise<readonly AnyObject[]> {
  try {
    return (await kube.list(resource)).items;
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function reportRemains(uninstallation: Uninstallation, unfinished: readonly string[]): Promise<void> {
  const { kube, deletesCrds, isDryRun, print } = uninstallation;
  print(isDryRun ? 'would remain:' : 'remains:');
  for (const line of unfinished) print(`  ${line}: install Millwright again to complete it`);
  print(
    '  on nodes: what their configs wrote, and /etc/machine-config-daemon with the originals of those files',
  );
  let count = 0;
  if (!deletesCrds) {
    for (const kind of kinds) count += (await objectsOf(kube, kind as unknown as Resource)).length;
    print('  on Nodes: annotations with the names of their configs');
    print(`  ${kinds.length} CRDs with ${count} objects; --delete-crds deletes them`);
  }
  print(
    `  namespaces ${NAMESPACE}, openshift-config and openshift-config-managed, with what others put there`,
  );
}
