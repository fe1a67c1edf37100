/**
 * Removes Millwright from a cluster, also in the middle of a rollout. Nodes stay as they are.
 *
 *     controllers ─> builds ─> daemons ─> permissions ─> nodes ─> [CRDs]
 *
 * The order matters: without controllers nothing new is sent to a node or drained; each daemon ends the step that it is in; and a
 * node is released once nothing is left that could cordon it again. Every step finds out what is left to do, so an interrupted
 * run is completed by the next one; where all of them find nothing, Millwright is not installed.
 */
import { annotations, kinds, labels } from '../../api/index.ts';
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
import { annotationOf, crdName, nameOf } from '../../kubernetes/meta/index.ts';
import { anyObject } from '../../kubernetes/schema/index.ts';
import {
  customResourceDefinition,
  findBuiltin,
  job as jobKind,
  lease as leaseKind,
  type Node,
  namespace as namespaceKind,
  node as nodeKind,
  type Pod,
  pod as podKind,
} from '../../kubernetes/types/index.ts';

export type Uninstallation = {
  /** That it was installed in. */
  readonly namespace: string;
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

/**
 * Throws a `Failure`: `PodsRemain` where pods do not end in time, `NotOurs` where the objects with these names belong to
 * OpenShift.
 */
export async function uninstall(uninstallation: Uninstallation): Promise<void> {
  const { objects, deletesCrds, namespace, print } = uninstallation;
  const isMarked = await isMarkedNamespace(uninstallation);
  if (!isMarked) await refuseOpenShift(uninstallation);
  const ofKinds = (...some: readonly string[]) => objects.filter(({ kind }) => some.includes(String(kind)));
  let found = await deleteObjects(uninstallation, ofKinds('Deployment'));
  await waitForPods(uninstallation, CONTROLLERS);
  found += await deleteBuildJobs(uninstallation);
  found += await deleteObjects(uninstallation, ofKinds('DaemonSet'));
  await waitForPods(uninstallation, [DAEMON]);
  const workloads = ['Deployment', 'DaemonSet', 'Namespace'];
  const others = objects.filter(({ kind }) => !workloads.includes(String(kind)));
  // Accounts and permissions before the policies that guard them.
  found += await deleteObjects(uninstallation, others.toReversed());
  for (const name of LEASES) if (await deleteOne(uninstallation, leaseKind, { name, namespace })) found++;
  const nodes = await releaseNodes(uninstallation);
  if (deletesCrds) found += await deleteCrds(uninstallation);
  // Last: an interrupted run is found by it.
  if (isMarked) await forgetNamespace(uninstallation);
  const isInstalled = isMarked || found + nodes.released > 0;
  if (!isInstalled) print('Millwright is not installed here');
  await reportRemains(uninstallation, { ...nodes, isInstalled });
}

async function isMarkedNamespace({ kube, namespace: name }: Uninstallation): Promise<boolean> {
  return (await kube.get(namespaceKind, { name }))?.metadata.labels?.[labels.partOf] === 'millwright';
}

/** The machine config operator of OpenShift has the same names. */
async function refuseOpenShift({ kube }: Uninstallation): Promise<void> {
  const name = 'clusterversions.config.openshift.io';
  if ((await kube.get(customResourceDefinition, { name })) === undefined) return;
  const message =
    'this cluster is OpenShift, and Millwright is not installed here: its own machine config operator would be removed';
  throw new Failure('usage', 'NotOurs', message);
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

/** Of Prometheus Operator, where the cluster has it. */
const MONITORING: readonly Resource[] = [
  { kind: 'ServiceMonitor', plural: 'servicemonitors' },
  { kind: 'PrometheusRule', plural: 'prometheusrules' },
].map((names) => ({ ...NETWORK_POLICY, ...names, group: 'monitoring.coreos.com' }) as Resource);

function resourceOf(object: JsonObject): Resource {
  const [apiVersion, kind] = [stringAt(object, 'apiVersion'), stringAt(object, 'kind')];
  // A resource of the API; nothing of its objects but their metadata is used.
  const other = [NETWORK_POLICY, ...MONITORING].find((one) => one.kind === kind);
  return other ?? (findBuiltin(apiVersion, kind) as unknown as Resource);
}

/** Returns how many there were, as the other steps do. */
async function deleteObjects(
  uninstallation: Uninstallation,
  objects: readonly JsonObject[],
): Promise<number> {
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
  return [...deleted.values()].reduce((sum, count) => sum + count, 0);
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
async function deleteBuildJobs(uninstallation: Uninstallation): Promise<number> {
  const { kube, namespace } = uninstallation;
  const { items } = await kube.list(jobKind, { namespace });
  const builds = items.filter(({ metadata }) =>
    metadata.ownerReferences?.some(({ kind }) => kind === 'MachineOSBuild'),
  );
  for (const build of builds) {
    const place = { name: nameOf(build), namespace };
    if (await deleteOne(uninstallation, jobKind, place))
      uninstallation.print(`${did(uninstallation)} the build ${nameOf(build)}`);
  }
  return builds.length;
}

/** Pods of nodes that are not ready cannot report that they ended; they lose their permissions instead. */
async function waitForPods(uninstallation: Uninstallation, apps: readonly string[]): Promise<void> {
  const { kube, namespace, clock, signal, isDryRun, timeoutMs, print } = uninstallation;
  if (isDryRun) return;
  const labelSelector = `k8s-app in (${apps.join(',')})`;
  const deadline = clock.monotonic() + timeoutMs;
  let printed = '';
  for (;;) {
    const [{ items: pods }, { items: nodes }] = await Promise.all([
      kube.list(podKind, { namespace, labelSelector }),
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

type ReleasedNodes = {
  readonly released: number;
  /** How many have had a config, and so files of Millwright. */
  readonly configured: number;
  /** A line for each node that is in the middle of an update. */
  readonly unfinished: readonly string[];
};

async function releaseNodes(uninstallation: Uninstallation): Promise<ReleasedNodes> {
  const { items } = await uninstallation.kube.list(nodeKind);
  const unfinished: string[] = [];
  let released = 0;
  for (const listed of items) {
    const config = unfinishedUpdate(listed);
    if (config !== undefined)
      unfinished.push(`node ${nameOf(listed)} is in the middle of its update to ${config}`);
    if (await releaseOne(uninstallation, listed)) released++;
  }
  const configured = items.filter((one) => annotationOf(one, annotations.currentConfig) !== undefined).length;
  return { released, configured, unfinished };
}

async function releaseOne(uninstallation: Uninstallation, listed: Node): Promise<boolean> {
  const { kube, isDryRun, deletesCrds, print, signal } = uninstallation;
  const name = nameOf(listed);
  for (
    let found: Node | undefined = listed;
    found !== undefined;
    found = await kube.get(nodeKind, { name })
  ) {
    if (signal.aborted) throw new Failure('cancelled', 'Cancelled', 'stopped');
    const release = releaseNode(found, { areConfigsDeleted: deletesCrds });
    if (release === undefined) return false;
    try {
      if (!isDryRun) await kube.patch(nodeKind, { name }, { type: 'merge', body: release.patch });
      const changes = release.changes.map(({ done, planned }) => (isDryRun ? planned : done)).join(', ');
      print(`node ${name}: ${isDryRun ? 'would ' : ''}${changes}`);
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      // Somebody has written the Node: decided anew, as it may have been a person who cordoned it.
      if (!isConflict(error)) throw error;
    }
  }
  return false;
}

async function deleteCrds(uninstallation: Uninstallation): Promise<number> {
  const { kube, clock, signal, isDryRun, timeoutMs, print } = uninstallation;
  let count = 0;
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
    if (await deleteOne(uninstallation, customResourceDefinition, { name: crdName(kind) })) count++;
  }
  const line = `${did(uninstallation)} CustomResourceDefinition: ${count}`;
  if (isDryRun) {
    if (count > 0) print(line);
    return count;
  }
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
  if (count > 0) print(line);
  return count;
}

/** The namespace stays, and is no longer that of an installation. */
async function forgetNamespace({ kube, namespace: name, isDryRun }: Uninstallation): Promise<void> {
  if (isDryRun) return;
  const body = { metadata: { labels: { [labels.partOf]: null } } };
  await kube.patch(namespaceKind, { name }, { type: 'merge', body }).catch(ignoreMissing);
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

type Removed = ReleasedNodes & { readonly isInstalled: boolean };

/** Only what there is. */
async function reportRemains(uninstallation: Uninstallation, removed: Removed): Promise<void> {
  const { deletesCrds, isDryRun, print } = uninstallation;
  const { isInstalled, configured, unfinished } = removed;
  const lines = unfinished.map((line) => `${line}: install Millwright again to complete it`);
  if (isInstalled || configured > 0) {
    const advice = deletesCrds
      ? '; delete that folder before you install Millwright again, as it names configs that are gone'
      : '';
    lines.push(
      `on nodes: what their configs wrote, and /etc/machine-config-daemon with the originals of those files${advice}`,
    );
  }
  if (configured > 0 && !deletesCrds) lines.push('on Nodes: annotations with the names of their configs');
  if (!deletesCrds) lines.push(...(await remainingCrds(uninstallation)));
  lines.push(...(await remainingNamespaces(uninstallation)));
  if (lines.length === 0) return;
  print(isDryRun ? 'would remain:' : 'remains:');
  for (const line of lines) print(`  ${line}`);
}

async function remainingCrds({ kube }: Uninstallation): Promise<readonly string[]> {
  let [crds, objects] = [0, 0];
  for (const kind of kinds) {
    if ((await kube.get(customResourceDefinition, { name: crdName(kind) })) === undefined) continue;
    crds++;
    objects += (await objectsOf(kube, kind as unknown as Resource)).length;
  }
  return crds === 0 ? [] : [`${crds} CRDs with ${objects} objects; --delete-crds deletes them`];
}

async function remainingNamespaces({ kube, objects }: Uninstallation): Promise<readonly string[]> {
  const names = objects
    .filter(({ kind }) => kind === 'Namespace')
    .map((one) => stringAt(one, 'metadata', 'name'));
  const kept: string[] = [];
  for (const name of names) if ((await kube.get(namespaceKind, { name })) !== undefined) kept.push(name);
  return kept.length === 0 ? [] : [`namespaces ${kept.join(', ')}, with what others put there`];
}
