/**
 * The pods of build Jobs, modelled: they are put on a node, run for a while, push an image and report its digest, or fail, or hang. Jobs
 * themselves and the garbage collector are those of the embedded cluster.
 *
 *     bound ─► inputs are mounted ─► Running ─► pushed ─► digest-BUILD is written ─► Succeeded
 *
 * Builder and pod meet in objects alone, so these are the real ones: the pod reads what its volumes name, and reports with its own account.
 */
import { NAMESPACE } from '../../api/index.ts';
import type { Random } from '../../base/env.ts';
import { silentLog } from '../../base/env.ts';
import { bindPod, createJobControllers, workloadSettings } from '../../embedded/controllers/index.ts';
import { serviceAccountUser } from '../../embedded/rbac/index.ts';
import { BUILD_POD_ACCOUNT, parseLabels, reportDigest } from '../../images/index.ts';
import {
  createCaches,
  createKube,
  type Kube,
  KubeError,
  runControllers,
  type Transport,
} from '../../kubernetes/client/index.ts';
import { node as nodeKind, type Pod, pod as podKind } from '../../kubernetes/types/index.ts';
import { between, isHit, pick, randomOf } from '../seeded-random.ts';
import { environmentOf, JOB_NAME_LABEL, type MountedInputs, mountedInputs } from './build-pod-inputs.ts';
import { builtOsImage } from './built-os-image.ts';
import type { Ground } from './ground.ts';
import type { Kubelets } from './kubelets.ts';

/** What becomes of builds from now on. */
export type BuildOutcome = 'succeed' | 'fail' | 'hang';

/** The containers of one pod. */
type Run = {
  readonly inputs: MountedInputs;
  /** When the image is pushed, and when the pod ends. */
  readonly pushMs: number;
  readonly endMs: number;
  /** The image that it has pushed. */
  reference?: string;
  hangs: boolean;
  /** Its machine went down. */
  isLost: boolean;
};

const LOOK_MS = 2_000;
const BUILD_MS = [20_000, 4 * 60_000] as const;
/** From the push to the report. */
const REPORT_MS = [1_000, 6_000] as const;
/** Of failing pods: those that have pushed their image and die before they report it. */
const FORGETTING_SHARE = 0.3;
const UNLIMITED = { rate: { perSecond: 1_000_000, burst: 1_000_000 } };

export class BuildPods {
  outcome: BuildOutcome = 'succeed';
  /** Images that no pod could report: nobody else knows of them. */
  readonly unreported = new Set<string>();
  readonly #ground: Ground;
  readonly #kubelets: Kubelets;
  readonly #random: Random;
  /** By uid of the pod. */
  readonly #runs = new Map<string, Run>();

  constructor(ground: Ground, kubelets: Kubelets) {
    this.#ground = ground;
    this.#kubelets = kubelets;
    this.#random = randomOf(ground.seed, 'build pods');
  }

  /** `transport`: of kube-controller-manager. */
  start(transport: Transport): void {
    const env = this.#env('kube-controller-manager');
    const kube = createKube({ transport, env, fieldManager: 'kube-controller-manager', limits: UNLIMITED });
    const caches = createCaches({ transport, env, limits: UNLIMITED });
    const settings = workloadSettings({ authorityPem: '' });
    runControllers(createJobControllers({ kube, caches, env, settings }), { env }).catch(this.#ground.onBug);
    this.#lookAgain();
  }

  #lookAgain(): void {
    this.#ground.clock.after(LOOK_MS, () => {
      this.#look()
        .catch((error: unknown) => this.#ground.trace.add(`build pods: ${String(error)}`))
        .finally(() => this.#lookAgain());
    });
  }

  async #look(): Promise<void> {
    const pods = [...this.#kubelets.pods.values()].filter(
      ({ metadata }) => metadata.namespace === NAMESPACE && metadata.labels?.[JOB_NAME_LABEL] !== undefined,
    );
    const uids = new Set(pods.map(({ metadata }) => metadata.uid));
    for (const uid of this.#runs.keys()) if (!uids.has(uid)) this.#runs.delete(uid);
    for (const pod of pods) {
      await this.#step(pod).catch((error: unknown) => {
        // The pod has changed or is gone meanwhile.
        if (!(error instanceof KubeError && (error.code === 404 || error.code === 409))) throw error;
      });
    }
  }

  async #step(pod: Pod): Promise<void> {
    const { uid = '', deletionTimestamp } = pod.metadata;
    const phase = pod.status?.phase ?? 'Pending';
    if (phase === 'Succeeded' || phase === 'Failed') return;
    // Kubelets end those that are to end.
    if (deletionTimestamp !== undefined) {
      this.#runs.delete(uid);
      return;
    }
    const { nodeName } = pod.spec;
    if (nodeName === undefined) return await this.#schedule(pod);
    const run = this.#runs.get(uid);
    const isUp = this.#kubelets.isUp(nodeName);
    if (run === undefined) return isUp ? await this.#begin(pod) : undefined;
    run.isLost ||= !isUp;
    if (run.isLost) return isUp ? await this.#fail(pod, KILLED) : undefined;
    await this.#continue(pod, run);
  }

  async #schedule(pod: Pod): Promise<void> {
    const { kube } = this.#ground;
    const { items } = await kube.list(nodeKind);
    const feasible = items.filter(
      ({ metadata, spec }) =>
        spec.unschedulable !== true &&
        this.#kubelets.isUp(metadata.name) &&
        metadata.labels?.['node-role.kubernetes.io/master'] === undefined,
    );
    const node = pick(this.#random, feasible);
    if (node !== undefined) await bindPod(kube, pod, node.metadata.name);
  }

  /** A pod whose volumes cannot be mounted waits for them. */
  async #begin(pod: Pod): Promise<void> {
    const { kube, clock } = this.#ground;
    const inputs = await mountedInputs(kube, pod);
    if (inputs === undefined) return;
    const hangs = this.outcome === 'hang';
    const pushMs = clock.monotonic() + between(this.#random, BUILD_MS);
    const endMs = pushMs + between(this.#random, REPORT_MS);
    await this.#setStatus(pod, { phase: 'Running' });
    this.#runs.set(pod.metadata.uid ?? '', { inputs, pushMs, endMs, hangs, isLost: false });
  }

  async #continue(pod: Pod, run: Run): Promise<void> {
    const nowMs = this.#ground.clock.monotonic();
    if (run.hangs || nowMs < run.pushMs) return;
    run.hangs = this.outcome === 'hang';
    if (run.hangs) return;
    const isFailing = this.outcome === 'fail';
    if (run.reference === undefined) {
      const problem =
        isFailing && !isHit(this.#random, FORGETTING_SHARE) ? NO_SPACE : await this.#push(pod, run);
      if (problem !== undefined) await this.#fail(pod, problem);
    } else if (isFailing) await this.#fail(pod, KILLED);
    else if (nowMs >= run.endMs) await this.#report(pod, run, run.reference);
  }

  /** Returns why it could not. */
  async #push(pod: Pod, run: Run): Promise<Termination | undefined> {
    const { registry, trace } = this.#ground;
    const { base, containerfile, packedConfig, tag } = run.inputs;
    if (/^RUN false$/m.test(containerfile)) return failed('STEP 9/9: RUN false: exit status 1');
    try {
      const baseImage = await registry.pull(base);
      const unique = pod.metadata.uid ?? '';
      run.reference = registry.push(
        tag,
        builtOsImage({ base, baseImage, containerfile, packedConfig, run: unique }),
      );
    } catch (error) {
      return failed(error instanceof Error ? error.message : String(error));
    }
    this.unreported.add(run.reference);
    trace.add(`${pod.metadata.name} pushes ${run.reference}`);
    return undefined;
  }

  async #report(pod: Pod, run: Run, reference: string): Promise<void> {
    const labels = parseLabels(environmentOf(pod, 'DIGEST_CONFIGMAP_LABELS'));
    await reportDigest(this.#kubeOf(pod), {
      namespace: NAMESPACE,
      configMap: environmentOf(pod, 'DIGEST_CONFIGMAP_NAME'),
      digest: reference.split('@')[1] ?? '',
      jobUid: pod.metadata.labels?.['batch.kubernetes.io/controller-uid'] ?? '',
      tag: run.inputs.tag,
      labels: labels.kind === 'ok' ? labels.value : {},
    });
    this.unreported.delete(reference);
    await this.#setStatus(pod, { phase: 'Succeeded' });
  }

  async #fail(pod: Pod, { container, exitCode, message }: Termination): Promise<void> {
    const state = { terminated: { exitCode, reason: 'Error', message } };
    const status = { name: container, state, ready: false, restartCount: 0, image: 'builder', imageID: '' };
    await this.#setStatus(pod, { phase: 'Failed', initContainerStatuses: [status] });
  }

  async #setStatus({ metadata }: Pod, status: object): Promise<void> {
    const change = { type: 'merge', body: { metadata: { uid: metadata.uid }, status } } as const;
    await this.#ground.kube.patch(podKind, metadata, change, { subresource: 'status' });
  }

  /** With the token of the pod: policies allow it no other record than that of its own build. */
  #kubeOf({ metadata: { name, uid = '' } }: Pod): Kube {
    const { network } = this.#ground;
    const account = { namespace: NAMESPACE, name: BUILD_POD_ACCOUNT, uid: `uid-of-${BUILD_POD_ACCOUNT}` };
    const user = serviceAccountUser({ ...account, podName: name, podUid: uid });
    const transport = network.reliableLink('build-pod', user);
    return createKube({ transport, env: this.#env(name), fieldManager: 'build-pod', limits: UNLIMITED });
  }

  #env(name: string) {
    const { clock, seed, signal } = this.#ground;
    return { clock, random: randomOf(seed, name), log: silentLog, signal };
  }
}

/** How a container has ended. */
type Termination = { readonly container: string; readonly exitCode: number; readonly message: string };

const failed = (message: string): Termination => ({ container: 'image-build', exitCode: 1, message });
const NO_SPACE = failed('STEP 7/9: RUN make: exit status 1: no space left on device');
/** With its machine, or before it could report. */
const KILLED: Termination = { container: 'image-push', exitCode: 137, message: '' };
