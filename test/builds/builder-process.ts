/** `millwright builder` as a process of its own, beside `up`, with the account of its Deployment. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Cluster } from '../up/cluster.ts';
import { packageRoot } from '../up/program.ts';
import { kubeconfigOf } from './account.ts';
import { NAMESPACE } from './build-objects.ts';

export class BuilderProcess {
  readonly #cluster: Cluster;
  #child: ChildProcess | undefined;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** In place of the one that is part of `up`. */
  async takeOver(): Promise<void> {
    const scale = ['scale', 'deployment/machine-os-builder', '-n', NAMESPACE];
    await this.#cluster.kubectl([...scale, '--replicas=0']);
    const gone = ['pod', '-l', 'k8s-app=machine-os-builder', '-n', NAMESPACE, '--for=delete'];
    await this.#cluster.wait(...gone);
    await this.start();
  }

  async start(): Promise<void> {
    const kubeconfig = await kubeconfigOf(this.#cluster, {
      name: 'machine-os-builder',
      namespace: NAMESPACE,
    });
    const flags = ['--kubeconfig', kubeconfig, '--builder-image', 'millwright-builder'];
    this.#child = spawn(process.execPath, [join(packageRoot, 'dist/main.js'), 'builder', ...flags], {
      stdio: 'ignore',
    });
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'close');
  }

  /** The next one would wait for minutes until the Lease of the last one has ended. */
  async startAgain(): Promise<void> {
    await this.kill();
    await this.#cluster.kubectl([
      'delete',
      'lease/machine-os-builder',
      '-n',
      NAMESPACE,
      '--ignore-not-found',
    ]);
    await this.start();
  }
}
