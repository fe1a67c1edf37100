/** `millwright apiserver` as a process, with the writes of the controllers and kubelets that do not run beside it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '../contract/eventually.ts';
import { connect, type HttpClient } from '../contract/http-client.ts';
import { readKubeconfig } from '../kubernetes/kubeconfig.ts';

export type Apiserver = {
  readonly kubeconfig: string;
  /** A serving certificate for nodes; its issuer is not verified. */
  readonly certificate: { readonly cert: string; readonly key: string };
  /** As kubelet: reports that the pod runs. */
  readonly playKubelet: (namespace: string, pod: string) => Promise<void>;
  /** As disruption controller: reports how many pods may be evicted. */
  readonly playDisruptionController: (namespace: string, budget: string, allowed: number) => Promise<void>;
  /** As kubelet: removes a terminating pod. */
  readonly playPodEnd: (namespace: string, pod: string) => Promise<void>;
  /** As deployment controller: reports that all pods are available. */
  readonly playDeployment: (namespace: string, name: string) => Promise<void>;
  /** As deployment controller: records the current template as this revision. */
  readonly playRevision: (namespace: string, name: string, revision: number) => Promise<void>;
  readonly stop: () => Promise<void>;
};

const program = fileURLToPath(new URL('../../bin/millwright', import.meta.url));

export async function startApiserver(): Promise<Apiserver> {
  const folder = await mkdtemp(join(tmpdir(), 'millwright-kubectl-'));
  const child = spawn(program, ['apiserver', '--data-dir', folder, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await ready(child);
  const kubeconfig = join(folder, 'kubeconfig');
  const { url, caPem: ca, admin } = await readKubeconfig(kubeconfig);
  const client = connect({ url, ca, admin });
  const [cert, key] = await Promise.all(
    ['server.crt', 'server.key'].map((name) => readFile(join(folder, 'pki', name), 'utf8')),
  );
  return {
    kubeconfig,
    certificate: { cert: cert ?? '', key: key ?? '' },
    ...parts(client),
    async stop() {
      client.close();
      child.kill('SIGTERM');
      await once(child, 'close');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stdout?.on('data', (chunk) => {
      printed += chunk;
      if (/^ready /m.test(printed)) resolve();
    });
    child.once('close', (code) => reject(new Error(`the server ended with ${code}: ${printed}`)));
  });
}

type Parts = Omit<Apiserver, 'kubeconfig' | 'certificate' | 'stop'>;

function parts({ request }: HttpClient): Parts {
  const report = async (path: string, status: object): Promise<void> => {
    const contentType = 'application/merge-patch+json';
    const answer = await request('PATCH', `${path}/status`, { contentType, body: { status } });
    if (answer.status !== 200) throw new Error(`reporting on ${path}: ${answer.body}`);
  };
  return {
    playKubelet: (namespace, pod) =>
      report(`/api/v1/namespaces/${namespace}/pods/${pod}`, {
        phase: 'Running',
        podIP: '10.0.0.1',
        podIPs: [{ ip: '10.0.0.1' }],
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [
          {
            name: 'main',
            image: 'example.com/main:1',
            imageID: '',
            ready: true,
            started: true,
            restartCount: 0,
            state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
          },
        ],
      }),
    playDisruptionController: (namespace, budget, allowed) =>
      report(`/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets/${budget}`, {
        observedGeneration: 1,
        currentHealthy: 1 + allowed,
        desiredHealthy: 1,
        expectedPods: 1,
        disruptionsAllowed: allowed,
      }),
    async playDeployment(namespace, name) {
      const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`;
      const { json } = await request('GET', path);
      const replicas = json.spec?.replicas;
      await report(path, {
        observedGeneration: json.metadata?.generation,
        replicas,
        updatedReplicas: replicas,
        availableReplicas: replicas,
        readyReplicas: replicas,
      });
    },
    async playRevision(namespace, name, revision) {
      const apps = `/apis/apps/v1/namespaces/${namespace}`;
      const { json } = await request('GET', `${apps}/deployments/${name}`);
      const { metadata, spec } = json;
      const labels = { app: name, 'pod-template-hash': String(revision) };
      const annotations = { 'deployment.kubernetes.io/revision': String(revision) };
      const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name, uid: metadata?.uid, controller: true };
      const made = await request('POST', `${apps}/replicasets`, {
        body: {
          metadata: { name: `${name}-${revision}`, labels, annotations, ownerReferences: [owner] },
          spec: {
            replicas: 0,
            selector: { matchLabels: labels },
            template: { ...spec?.template, metadata: { ...spec?.template?.metadata, labels } },
          },
        },
      });
      if (made.status !== 201) throw new Error(`making a revision of ${name}: ${made.body}`);
      const contentType = 'application/merge-patch+json';
      await request('PATCH', `${apps}/deployments/${name}`, {
        contentType,
        body: { metadata: { annotations } },
      });
    },
    async playPodEnd(namespace, pod) {
      const path = `/api/v1/namespaces/${namespace}/pods/${pod}`;
      await eventually(`${pod} is asked to go`, async () => {
        const { json } = await request('GET', path);
        return json.metadata?.deletionTimestamp;
      });
      await request('DELETE', path, { body: { gracePeriodSeconds: 0 } });
    },
  };
}
