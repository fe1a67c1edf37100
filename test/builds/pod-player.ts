/** Plays the pods of build Jobs: they run for a while, then push an image and report its digest, or fail. */
import { NAMESPACE } from '../../src/api/index.ts';
import type { Env } from '../../src/base/env.ts';
import {
  buildImage,
  parseImageReference,
  parseLabels,
  pushImage,
  type RegistryClient,
  reportDigest,
} from '../../src/images/index.ts';
import { after, type Caches, type Controller, done, type Kube } from '../../src/kubernetes/client/index.ts';
import { type Job, job as jobKind, type Pod, pod as podKind } from '../../src/kubernetes/types/index.ts';

export type PodOutcome =
  | { readonly kind: 'succeeds' }
  /** `message`: the last line of `image-build`. */
  | { readonly kind: 'fails'; readonly message: string }
  /** It pushes an image, and dies before it can report it. */
  | { readonly kind: 'forgets' }
  /** It runs until it is deleted. */
  | { readonly kind: 'hangs' }
  /** It never runs: its status is what a scheduler or a kubelet says about that. */
  | { readonly kind: 'reports'; readonly status: object };

export type PodScript = {
  /** `pod` counts the pods of all builds, from 1. */
  outcome: (build: string, pod: number) => PodOutcome;
  podMs: number;
};

type Player = {
  readonly env: Pick<Env, 'clock'>;
  /** Of the kubelet. */
  readonly kube: Kube;
  /** Of the pod itself. */
  readonly reporterOf: (pod: string) => Kube;
  readonly caches: Caches;
  readonly registry: RegistryClient;
  readonly script: PodScript;
};

const PREFIX = 'build-';

export function createPodPlayer(player: Player): Controller {
  const pods = player.caches.of(podKind, { namespace: NAMESPACE });
  /** By uid: the number of the pod, and when it ends. */
  const played = new Map<string, { readonly number: number; readonly endMs: number }>();
  return {
    name: 'pod-player',
    workers: 1,
    caches: [pods],
    watch: (enqueue) => pods.onChange(({ after: now }) => now !== undefined && enqueue(now.metadata.name)),
    async reconcile(name) {
      const pod = pods.get({ name, namespace: NAMESPACE });
      if (pod === undefined) return done;
      if (pod.metadata.deletionTimestamp !== undefined) {
        await player.kube.delete(podKind, pod.metadata, { gracePeriodSeconds: 0 });
        return done;
      }
      const phase = pod.status?.phase ?? 'Pending';
      if (phase === 'Succeeded' || phase === 'Failed') return done;
      const { uid = '' } = pod.metadata;
      const nowMs = player.env.clock.monotonic();
      const known = played.get(uid);
      if (known === undefined) {
        const number = played.size + 1;
        played.set(uid, { number, endMs: nowMs + player.script.podMs });
        const outcome = player.script.outcome(buildOf(pod), number);
        if (outcome.kind === 'reports') {
          await setStatus(player.kube, pod, outcome.status);
          return done;
        }
        await setStatus(player.kube, pod, { phase: 'Running' });
        return after(player.script.podMs, 'the pod is running');
      }
      if (player.script.outcome(buildOf(pod), known.number).kind === 'reports') return done;
      if (nowMs < known.endMs) return after(known.endMs - nowMs, 'the pod is running');
      await end(player, pod, known.number);
      return done;
    },
  };
}

async function end(player: Player, pod: Pod, number: number): Promise<void> {
  const job = await jobOf(player.kube, pod);
  const build = job.metadata.name.slice(PREFIX.length);
  const outcome = player.script.outcome(build, number);
  if (outcome.kind === 'hangs' || outcome.kind === 'reports') return;
  if (outcome.kind === 'fails') {
    const state = { terminated: { exitCode: 1, reason: 'Error', message: `STEP 1\n${outcome.message}` } };
    const initContainerStatuses = [statusOf('image-build', state)];
    return setStatus(player.kube, pod, { phase: 'Failed', initContainerStatuses });
  }
  const tag = environmentOf(job, 'TAG');
  const digest = await pushOsImage(player.registry, tag, `${build} by pod ${number}`);
  if (outcome.kind === 'forgets') {
    const state = { terminated: { exitCode: 137, reason: 'Error' } };
    return setStatus(player.kube, pod, {
      phase: 'Failed',
      containerStatuses: [statusOf('create-digest-configmap', state)],
    });
  }
  const labels = parseLabels(environmentOf(job, 'DIGEST_CONFIGMAP_LABELS'));
  await reportDigest(player.reporterOf(pod.metadata.name), {
    ...{ configMap: environmentOf(job, 'DIGEST_CONFIGMAP_NAME'), tag, digest },
    namespace: job.metadata.namespace ?? '',
    jobUid: job.metadata.uid ?? '',
    labels: labels.kind === 'ok' ? labels.value : {},
  });
  await setStatus(player.kube, pod, { phase: 'Succeeded' });
}

function statusOf(name: string, state: object) {
  return { name, state, ready: false, restartCount: 0, image: 'i', imageID: '' };
}

function environmentOf(job: Job, variable: string): string {
  const [container] = job.spec?.template.spec?.initContainers ?? [];
  return container?.env?.find(({ name }) => name === variable)?.value ?? '';
}

/** Returns the digest. */
export async function pushOsImage(registry: RegistryClient, tag: string, text: string): Promise<string> {
  const reference = parseImageReference(tag);
  if (reference.kind === 'invalid') throw new Error(`${tag} is no reference`);
  const content = new TextEncoder().encode(text);
  const file = { kind: 'file' as const, path: 'etc/build', content, mode: 0o644, mtime: 0 };
  const platform = { os: 'linux', architecture: 'amd64' };
  const image = buildImage({
    layers: [{ items: [file] }],
    platform,
    labels: {},
    created: '2026-01-01T00:00:00Z',
  });
  return (await pushImage(registry, reference.value, image)).digest;
}

function buildOf(pod: Pod): string {
  return jobNameOf(pod).slice(PREFIX.length);
}

function jobNameOf({ metadata }: Pod): string {
  return metadata.labels?.['batch.kubernetes.io/job-name'] ?? '';
}

async function jobOf(kube: Kube, pod: Pod): Promise<Job> {
  const name = jobNameOf(pod);
  const job = await kube.get(jobKind, { name, namespace: NAMESPACE });
  if (job === undefined) throw new Error(`Job ${name} is gone`);
  return job;
}

async function setStatus(kube: Kube, { metadata }: Pod, status: object): Promise<void> {
  await kube.patch(podKind, metadata, { type: 'merge', body: { status } }, { subresource: 'status' });
}
