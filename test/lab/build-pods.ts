/**
 * Replaces the kubelet for the pods of image builds: each container is a process on this computer that sees its own volumes, as the pod
 * names them, and no others.
 *
 *     FOLDER/<uid>/volumes/<volume>     filled from ConfigMaps and Secrets, or empty and shared
 *     FOLDER/<uid>/<container>          its root, with a link to the volume for each mount
 */
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { NAMESPACE } from '../../src/api/index.ts';
import { base64Bytes } from '../../src/base/text/index.ts';
import { runChild } from '../../src/embedded/up/child-process-node.ts';
import { type Caches, type Controller, done, type Kube } from '../../src/kubernetes/client/index.ts';
import {
  configMap as configMapKind,
  type Pod,
  pod as podKind,
  secret as secretKind,
} from '../../src/kubernetes/types/index.ts';

type BuildPods = {
  readonly kube: Kube;
  readonly caches: Caches;
  readonly signal: AbortSignal;
  readonly folder: string;
  /** The entry of Millwright, which is in the image of the pods. */
  readonly program: string;
  /** With a token that is bound to the pod. */
  readonly kubeconfigOf: (pod: Pod) => Promise<string>;
  readonly print: (line: string) => void;
};

type Container = Pod['spec']['containers'][number];

/** Pods run once, one after the other. */
export function createBuildPods(parts: BuildPods): Controller {
  const pods = parts.caches.of(podKind, { namespace: NAMESPACE });
  return {
    name: 'build-pods',
    workers: 1,
    caches: [pods],
    watch: (enqueue) => pods.onChange(({ after }) => after !== undefined && enqueue(after.metadata.name)),
    async reconcile(name) {
      const pod = pods.get({ name, namespace: NAMESPACE });
      if (pod?.metadata.labels?.['batch.kubernetes.io/job-name'] === undefined) return done;
      if (pod.metadata.deletionTimestamp !== undefined) {
        await parts.kube.delete(podKind, pod.metadata, { gracePeriodSeconds: 0 });
      } else if ((pod.status?.phase ?? 'Pending') === 'Pending') {
        await runPod(parts, pod);
      }
      return done;
    },
  };
}

async function runPod(parts: BuildPods, pod: Pod): Promise<void> {
  const setStatus = (status: object) =>
    parts.kube.patch(podKind, pod.metadata, { type: 'merge', body: { status } }, { subresource: 'status' });
  const folder = join(parts.folder, pod.metadata.uid ?? '');
  await setStatus({ phase: 'Running' });
  try {
    await setStatus(await runContainers(parts, pod, folder));
  } catch (error) {
    // Of the lab itself.
    parts.print(String(error));
    await setStatus({ phase: 'Failed', message: String(error) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the status of the pod after that. */
async function runContainers(parts: BuildPods, pod: Pod, folder: string): Promise<object> {
  await writeVolumes(parts.kube, pod, join(folder, 'volumes'));
  const { initContainers = [], containers } = pod.spec;
  for (const container of [...initContainers, ...containers]) {
    const { exitCode, message } = await runContainer(parts, { pod, container, folder });
    if (exitCode === 0) continue;
    const state = { terminated: { exitCode, reason: 'Error', message } };
    const status = { name: container.name, state, ready: false, restartCount: 0, image: '', imageID: '' };
    const isInit = initContainers.includes(container);
    return { phase: 'Failed', [isInit ? 'initContainerStatuses' : 'containerStatuses']: [status] };
  }
  return { phase: 'Succeeded' };
}

async function writeVolumes(kube: Kube, pod: Pod, folder: string): Promise<void> {
  for (const { name, configMap, secret, emptyDir, projected } of pod.spec.volumes ?? []) {
    const place = join(folder, name);
    await mkdir(place, { recursive: true });
    if (configMap !== undefined) {
      const found = await kube.get(configMapKind, { name: configMap.name ?? '', namespace: NAMESPACE });
      if (found === undefined) throw new Error(`ConfigMap ${configMap.name} is missing`);
      for (const [key, text] of Object.entries(found.data ?? {})) await writeFile(join(place, key), text);
      await writeDecoded(place, found.binaryData);
    } else if (secret !== undefined) {
      const found = await kube.get(secretKind, { name: secret.secretName ?? '', namespace: NAMESPACE });
      if (found === undefined) throw new Error(`Secret ${secret.secretName} is missing`);
      const { data = {} } = found;
      const items = secret.items?.map(({ key, path }) => [path, data[key] ?? ''] as const);
      await writeDecoded(place, items === undefined ? data : Object.fromEntries(items));
    } else if (emptyDir === undefined && projected === undefined) {
      throw new Error(`the lab has no volumes like ${name}`);
    }
  }
}

async function writeDecoded(folder: string, data: { readonly [key: string]: string } = {}): Promise<void> {
  for (const [key, text] of Object.entries(data)) {
    await writeFile(join(folder, key), base64Bytes(text) ?? new Uint8Array(), { mode: 0o600 });
  }
}

type ContainerRun = { readonly pod: Pod; readonly container: Container; readonly folder: string };
type Ended = { readonly exitCode: number; readonly message: string };

async function runContainer(parts: BuildPods, { pod, container, folder }: ContainerRun): Promise<Ended> {
  const { name, command = [], env = [], volumeMounts = [] } = container;
  const root = join(folder, name);
  const temporary = join(root, 'tmp');
  await mkdir(temporary, { recursive: true });
  for (const { name: volume, mountPath, subPath = '' } of volumeMounts) {
    const place = join(root, mountPath);
    await mkdir(dirname(place), { recursive: true });
    await symlink(join(folder, 'volumes', volume, subPath), place);
  }
  const environment = Object.fromEntries(
    env.map(({ name: key, value = '', valueFrom }) => [
      key,
      valueFrom === undefined ? value : fieldOf(pod, valueFrom.fieldRef?.fieldPath),
    ]),
  );
  const args = [...command.slice(1), '--stop-with-stdin'];
  if (volumeMounts.some(({ name: volume }) => isTokenVolume(pod, volume))) {
    // The lab has no Services: the API server is not where pods look for it.
    const path = join(root, 'kubeconfig');
    await writeFile(path, await parts.kubeconfigOf(pod), { mode: 0o600 });
    args.push('--kubeconfig', path);
  }
  const lines: string[] = [];
  const exitCode = await runChild({
    program: [process.execPath, parts.program, ...args],
    environment: {
      ...environment,
      PATH: process.env.PATH,
      TMPDIR: temporary,
      XDG_RUNTIME_DIR: temporary,
      MILLWRIGHT_POD_ROOT: root,
    },
    directory: root,
    print: (line) => {
      lines.push(line);
      parts.print(`${name}: ${line}`);
    },
    signal: parts.signal,
  });
  return { exitCode, message: lines.slice(-LAST_LINES).join('\n') };
}

const LAST_LINES = 20;

function isTokenVolume(pod: Pod, name: string): boolean {
  const volume = pod.spec.volumes?.find((one) => one.name === name);
  return volume?.projected?.sources?.some((source) => source.serviceAccountToken !== undefined) ?? false;
}

/** `metadata.namespace` or `metadata.labels['KEY']`. */
function fieldOf({ metadata }: Pod, path = ''): string {
  const [, key = ''] = /^metadata\.labels\['(.*)'\]$/.exec(path) ?? [];
  const value = path === 'metadata.namespace' ? metadata.namespace : metadata.labels?.[key];
  if (value === undefined) throw new Error(`the pod has no field ${path}`);
  return value;
}
