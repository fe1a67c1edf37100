/**
 * The nodes of `rollout-kubernetes.ts`, in their own process: many scripted daemons that answer at once, and a few real
 * ones on machines in memory. The requests of both are counted separately.
 */
import { annotations, type MachineConfig, NAMESPACE } from '../src/api/index.ts';
import { type Env, silentLog, systemClock, systemRandom } from '../src/base/env.ts';
import { createMemoryDisk, createSandboxMachine } from '../src/embedded/sandbox/index.ts';
import { createCaches, createKube, runControllers, type Transport } from '../src/kubernetes/client/index.ts';
import { createNodeTransport } from '../src/kubernetes/client/transport-node.ts';
import {
  DaemonMetrics,
  DEFAULT_DAEMON_SETTINGS,
  initialAnnotations,
  writeInitialConfig,
} from '../src/node/daemon/index.ts';
import { readNodeConfig } from '../src/node/plan/index.ts';
import { runDaemon } from '../src/processes/daemon-process.ts';
import { anImage, pullFrom } from '../test/host/an-image.ts';
import { createScriptedDaemons } from '../test/rollout/scripted-daemons.ts';
import { RequestCounter, type RequestCounts } from './request-counter.ts';

export type BenchAccess = {
  readonly url: string;
  readonly authorityPem: string;
  readonly certificate: { readonly certPem: string; readonly keyPem: string };
};

/** From the benchmark to this process. */
export type NodesRequest =
  | { readonly kind: 'start'; readonly access: BenchAccess; readonly labelSelector: string }
  /** Nodes with these names get machines and real daemons, installed with this config. */
  | { readonly kind: 'install'; readonly names: readonly string[]; readonly config: MachineConfig }
  /** While held, nodes do not come back from their reboot. */
  | { readonly kind: 'hold'; readonly isHeld: boolean }
  | { readonly kind: 'count' };

/** The answer to each request. */
export type NodesAnswer = { readonly scripted: RequestCounts; readonly real: RequestCounts };

/** How often a held machine looks whether it may come back. */
const RETRY_MS = 50;
const LIMITS = { rate: { perSecond: 1_000_000, burst: 1_000_000 } };

export function serveNodes(): void {
  const nodes = new Nodes();
  process.on('message', (request: NodesRequest) => {
    nodes.take(request).then(
      () => process.send?.(nodes.counts()),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
}

class Nodes {
  readonly #env: Env = {
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    signal: new AbortController().signal,
  };
  readonly #scripted = new RequestCounter();
  readonly #real = new RequestCounter();
  #access: BenchAccess | undefined;
  #isHeld = false;

  counts(): NodesAnswer {
    return { scripted: this.#scripted.counts(), real: this.#real.counts() };
  }

  async take(request: NodesRequest): Promise<void> {
    switch (request.kind) {
      case 'start':
        this.#access = request.access;
        this.#startScripted(request.labelSelector);
        return;
      case 'install':
        for (const name of request.names) await this.#install(name, request.config);
        return;
      case 'hold':
        this.#isHeld = request.isHeld;
        return;
      case 'count':
        return;
    }
  }

  #startScripted(labelSelector: string): void {
    const env = this.#env;
    const transport = this.#connect(this.#scripted);
    // Machines and installers are not daemons: their requests are not counted.
    const others = this.#connect(new RequestCounter());
    const kube = createKube({ transport, env, fieldManager: 'machine-config-daemon', limits: LIMITS });
    const kubelet = createKube({ transport: others, env, fieldManager: 'kubelet', limits: LIMITS });
    const caches = createCaches({ transport, env, limits: LIMITS });
    const installer = createCaches({ transport: others, env, limits: LIMITS });
    const script = { applyMs: 0, rebootMs: 0, retryMs: RETRY_MS, isHeld: () => this.#isHeld };
    const context = { kube, caches, installer, kubelet, env, selection: { labelSelector } };
    runControllers([createScriptedDaemons(context, script)], { env }).catch(fail);
  }

  async #install(name: string, config: MachineConfig): Promise<void> {
    const read = readNodeConfig(config);
    if (read.kind !== 'ok') throw new Error(JSON.stringify(read.problems));
    const image = anImage();
    const machine = createSandboxMachine({
      disk: createMemoryDisk(),
      clock: systemClock,
      random: systemRandom,
      durations: { bootMs: 0, shutDownMs: 0, pullMs: 0, stageMs: 0 },
      pullImage: pullFrom({ [read.value.osImage]: image }),
    });
    await machine.provision({ image: read.value.osImage, kernelArguments: read.value.kernelArguments });
    await machine.boot();
    const { host } = machine;
    await writeInitialConfig({ host, env: this.#env }, read.value, initialAnnotations(read.value));
    let ending = new AbortController();
    const start = () => {
      ending = new AbortController();
      runDaemon({
        env: { ...this.#env, signal: ending.signal },
        transport: this.#connect(this.#real),
        version: 'bench',
        host: machine.host,
        nodeName: name,
        namespace: NAMESPACE,
        architecture: 'amd64',
        settings: DEFAULT_DAEMON_SETTINGS,
        metrics: new DaemonMetrics(),
      }).catch(fail);
    };
    machine.onPower((event) => {
      if (event.kind === 'up') start();
      else ending.abort();
    });
    start();
  }

  #connect(counter: RequestCounter): Transport {
    if (this.#access === undefined) throw new Error('not started');
    return counter.wrap(createNodeTransport({ access: this.#access, clock: systemClock }));
  }
}

/** Whether the node is on its way to another config. */
export function isBusy(values: { readonly [key: string]: string }): boolean {
  return values[annotations.desiredConfig] !== values[annotations.currentConfig];
}

function fail(error: unknown): void {
  console.error(error);
  process.exit(1);
}
