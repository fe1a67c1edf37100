/**
 * Runs the containers of build pods as child processes of this one (`build-pod.ts` says which, and what they get).
 *
 *     pod status "running" ──> child process ──exit code, last lines──> pod status "terminated"
 *
 *     DIR/<uid of the pod>      its volumes and the storage of buildah
 *
 * A container that was running when an earlier process ended is started again, as its machine continues as well.
 */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { NAMESPACE } from '../../api/index.ts';
import type { Log } from '../../base/env.ts';
import { errorText } from '../../base/errors.ts';
import { base64Bytes } from '../../base/text/index.ts';
import type { Cache, Kube } from '../../kubernetes/client/index.ts';
import { configMap as configMapKind, type Pod, secret as secretKind } from '../../kubernetes/types/index.ts';
import { reportPushedDigest } from '../../processes/build-process-node.ts';
import type { ContainerOutcome, PodExecution, PodExecutions } from '../controllers/index.ts';
import {
  BUILD_CONTAINERS,
  type BuildContainer,
  type BuildPod,
  type BuildPodLookup,
  buildEnvironment,
  buildPodOf,
  filesFor,
  objectNamesFor,
} from './build-pod.ts';
import { runChild } from './child-process-node.ts';
import type { ContainerLogs } from './container-logs.ts';
import { removeBuildFiles } from './remove-build-files-node.ts';

type BuildPodsOptions = {
  /** Reads the inputs of builds. */
  readonly kube: Kube;
  /** With the identity of a pod. */
  readonly kubeOf: (pod: Pod) => Kube;
  readonly pods: Cache<Pod>;
  readonly lookup: BuildPodLookup;
  readonly logs: ContainerLogs;
  readonly log: Log;
  readonly directory: string;
  /** Millwright itself: `node dist/main.js`. */
  readonly program: readonly [string, ...string[]];
  readonly environment: { readonly [name: string]: string | undefined };
  /** The boot of a machine; undefined while it is down. */
  readonly bootOf: (node: string) => string | undefined;
};

/** The programs of containers; the last container only talks to the API server, and has none. */
const COMMANDS: { readonly [Name in BuildContainer]?: string } = {
  'image-build': 'build-image',
  'image-push': 'push-image',
};

type Run = {
  readonly pod: Pod;
  readonly boot: string | undefined;
  readonly stop: () => void;
  outcome: ContainerOutcome;
  ended: Promise<void>;
};

type Container = {
  readonly pod: Pod;
  readonly name: BuildContainer;
  readonly build: Extract<BuildPod, { readonly kind: 'build' }>;
  readonly signal: AbortSignal;
};

export class BuildPods implements PodExecutions {
  readonly #options: BuildPodsOptions;
  readonly #runs = new Map<string, Run>();
  readonly #listeners: ((node: string) => void)[] = [];
  /** Nodes with pods that no build names yet. */
  readonly #unproven = new Set<string>();
  readonly #turns = new Turns(MAX_CHILDREN);
  #isStopped: boolean = false;

  constructor(options: BuildPodsOptions) {
    this.#options = options;
    options.pods.onChange(({ before, after }) => {
      if (after?.metadata.deletionTimestamp !== undefined) this.#kill(({ pod }) => isSame(pod, after));
      if (after === undefined && before !== undefined) this.#forget(before);
    });
    options.lookup.onChange(() => this.#recheckUnproven());
    options.pods.synced.then(
      () => this.#removeLeftovers(),
      () => undefined,
    );
  }

  of(pod: Pod): PodExecution | undefined {
    if (buildPodOf(pod, this.#options.lookup).kind === 'other') return undefined;
    return (container) => this.#outcome(pod, container);
  }

  onChange(listener: (node: string) => void): void {
    this.#listeners.push(listener);
  }

  /** Containers end with their machine. */
  machineChanged(node: string): void {
    const { bootOf } = this.#options;
    this.#kill(({ pod, boot }) => pod.spec.nodeName === node && boot !== bootOf(node));
  }

  /** Ends all children. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#kill(() => true);
    await Promise.all([...this.#runs.values()].map(({ ended }) => ended));
  }

  #recheckUnproven(): void {
    const nodes = [...this.#unproven];
    this.#unproven.clear();
    for (const node of nodes) for (const listener of this.#listeners) listener(node);
  }

  #kill(isMeant: (run: Run) => boolean): void {
    for (const run of this.#runs.values()) if (isMeant(run)) run.stop();
  }

  /** Called while a container is running: starts its process at first. */
  #outcome(pod: Pod, container: string): ContainerOutcome {
    const key = `${pod.metadata.uid} ${container}`;
    const known = this.#runs.get(key);
    if (known !== undefined) return known.outcome;
    const build = buildPodOf(pod, this.#options.lookup);
    const name = BUILD_CONTAINERS.find((one) => one === container);
    if (build.kind === 'unproven') this.#unproven.add(pod.spec.nodeName ?? '');
    if (build.kind !== 'build' || name === undefined || this.#isStopped) return { kind: 'running' };
    const stopping = new AbortController();
    const run: Run = {
      pod,
      boot: this.#options.bootOf(pod.spec.nodeName ?? ''),
      stop: () => stopping.abort(),
      outcome: { kind: 'running' },
      ended: Promise.resolve(),
    };
    this.#runs.set(key, run);
    run.ended = this.#run({ pod, name, build, signal: stopping.signal }).then((outcome) => {
      // With this process everything stops, and the next one starts the container again.
      if (this.#isStopped) return;
      run.outcome = outcome;
      for (const listener of this.#listeners) listener(pod.spec.nodeName ?? '');
    });
    return run.outcome;
  }

  /** Never rejects. */
  async #run(container: Container): Promise<ContainerOutcome> {
    const { namespace = '', name: pod, uid: podUid = '' } = container.pod.metadata;
    const writer = this.#options.logs.open({
      namespace,
      pod,
      podUid,
      container: container.name,
      restartCount: 0,
    });
    const tail = new LastLines();
    const print = (line: string) => {
      writer.write(`${line}\n`);
      tail.add(line);
    };
    try {
      const exitCode = await this.#execute(container, print);
      return { kind: 'ended', exitCode, ...(exitCode === 0 ? {} : { message: tail.text }) };
    } catch (error) {
      print(errorText(error));
      return { kind: 'ended', exitCode: 1, message: tail.text };
    } finally {
      await writer.close();
    }
  }

  async #execute({ pod, name, build: { build, jobUid }, signal }: Container, print: (line: string) => void) {
    const { kubeOf, program, environment } = this.#options;
    const root = this.#rootOf(pod);
    const temporary = join(root, 'tmp');
    await mkdir(temporary, { recursive: true, mode: 0o700 });
    const own = {
      PATH: environment.PATH,
      TMPDIR: temporary,
      XDG_RUNTIME_DIR: temporary,
      MILLWRIGHT_POD_ROOT: root,
      MILLWRIGHT_REGISTRY_ALIAS: environment.MILLWRIGHT_REGISTRY_ALIAS,
      ...buildEnvironment(build),
    };
    const command = COMMANDS[name];
    if (command === undefined) {
      const cluster = { kube: kubeOf(pod), namespace: NAMESPACE };
      await reportPushedDigest({ environment: { ...own, JOB_UID: jobUid }, print, signal }, cluster);
      return 0;
    }
    const mounts = await this.#writeVolumes(name, build, root);
    const args = [...program.slice(1), command, '--stop-with-stdin'];
    return await this.#turns.take(() =>
      runChild({
        program: [program[0], ...args],
        environment: { ...own, ...mounts },
        directory: root,
        print,
        signal,
      }),
    );
  }

  /** Returns the environment that tells about optional volumes. */
  async #writeVolumes(name: BuildContainer, build: Container['build']['build'], root: string) {
    const { kube } = this.#options;
    const names = objectNamesFor(name, build);
    const read = async <T>(all: readonly string[], get: (one: string) => Promise<T | undefined>) =>
      new Map(await Promise.all(all.map(async (one) => [one, await get(one)] as const)));
    const configMaps = await read(names.configMaps, (one) =>
      kube.get(configMapKind, { name: one, namespace: NAMESPACE }),
    );
    const secrets = await read(names.secrets, (one) =>
      kube.get(secretKind, { name: one, namespace: NAMESPACE }),
    );
    const { files, environment } = filesFor(name, build, {
      configMap: (one) => configMaps.get(one),
      secret: (one) => secrets.get(one),
    });
    for (const { path, content, isBase64 } of files) {
      const target = join(root, path);
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      const bytes = isBase64 ? (base64Bytes(content) ?? new Uint8Array()) : new TextEncoder().encode(content);
      await writeFile(target, bytes, { mode: 0o600 });
    }
    return environment;
  }

  #rootOf({ metadata }: Pod): string {
    return join(this.#options.directory, metadata.uid ?? '');
  }

  #forget(pod: Pod): void {
    const uid = `${pod.metadata.uid} `;
    const own = [...this.#runs].filter(([key]) => key.startsWith(uid));
    for (const [key, run] of own) {
      run.stop();
      this.#runs.delete(key);
    }
    // Also of pods that have ended long ago: until then people may look at what is left of a build.
    Promise.all(own.map(([, { ended }]) => ended))
      .then(() => this.#remove(this.#rootOf(pod)))
      .catch(() => undefined);
  }

  /** Of pods that were deleted while no process ran. */
  async #removeLeftovers(): Promise<void> {
    const { directory, pods } = this.#options;
    const live = new Set([...pods.all()].map(({ metadata }) => metadata.uid ?? ''));
    const found = await readdir(directory).catch(() => []);
    for (const uid of found) if (!live.has(uid)) await this.#remove(join(directory, uid));
  }

  async #remove(path: string): Promise<void> {
    const { environment, log } = this.#options;
    try {
      await removeBuildFiles(path, environment);
    } catch (error) {
      log.warn('what is left of a build is kept', { error: errorText(error) });
    }
  }
}

function isSame(a: Pod, b: Pod): boolean {
  return a.metadata.uid === b.metadata.uid;
}

/** Builds are heavy, and all are on this machine. */
const MAX_CHILDREN = 2;

/** Lets a few run at a time, in the order in which they came. */
class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async take<T>(run: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await run();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

/** What the kubelet keeps as the message of a container that failed. */
class LastLines {
  #lines: string[] = [];

  add(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > MAX_MESSAGE_LINES) this.#lines.shift();
  }

  get text(): string {
    return this.#lines.join('\n').slice(-MAX_MESSAGE_CHARS);
  }
}

const MAX_MESSAGE_LINES = 80;
const MAX_MESSAGE_CHARS = 2048;
