/**
 * Packed contents are a thousand times as large as what is applied. The process that unpacks them serves the API as well: other
 * requests must be answered meanwhile.
 */
import { readFileSync, statSync } from 'node:fs';
import { Agent, get } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../contract/eventually.ts';
import { Cluster, withKubectl } from './cluster.ts';

const MIB = 1024 ** 2;
const WORKERS = ['worker-0', 'worker-1', 'worker-2'];
/** Far above what is needed, and far below what blocking the process takes: a busy machine must not fail the test. */
const LONGEST_ANSWER_MS = 5_000;
const REQUEST_EVERY_MS = 20;

function packedConfig(name: string, files: number, bytes: number): string {
  const source = `data:;base64,${gzipSync(new Uint8Array(bytes), { level: 9 }).toString('base64')}`;
  const contents = { compression: 'gzip', source };
  return JSON.stringify({
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name, labels: { 'machineconfiguration.openshift.io/role': 'worker' } },
    spec: {
      config: {
        ignition: { version: '3.5.0' },
        storage: {
          files: Array.from({ length: files }, (_, index) => ({ path: `/etc/packed/${index}`, contents })),
        },
      },
    },
  });
}

/** Sends one request after another until the work is done; returns how long each took. */
async function answersDuring(cluster: Cluster, work: () => Promise<unknown>): Promise<readonly number[]> {
  const server = /server: (\S+)/.exec(readFileSync(cluster.up.kubeconfig, 'utf8'))?.[1] ?? '';
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const answers: number[] = [];
  const working = new AbortController();
  const asking = (async () => {
    while (!working.signal.aborted) {
      const began = performance.now();
      await new Promise<void>((resolve, reject) => {
        get(`${server}/readyz`, { agent }, (response) => response.resume().on('end', resolve)).on(
          'error',
          reject,
        );
      });
      answers.push(performance.now() - began);
      await sleep(REQUEST_EVERY_MS);
    }
  })();
  try {
    await work();
  } finally {
    working.abort();
    await asking;
    agent.destroy();
  }
  return answers;
}

withKubectl('packed contents', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start(['--speed', '200']);
  });
  afterAll(() => cluster.end());
  const sizes = () =>
    WORKERS.map((node) => statSync(cluster.onNode(node, 'etc/packed/0'), { throwIfNoEntry: false })?.size);

  it('of sixteen files of 60 MiB are refused, with their MachineConfig, while other requests are answered', async () => {
    const answers = await answersDuring(cluster, async () => {
      // Too large for the annotation that `apply` writes.
      await cluster.kubectl(['create', '-f', '-'], packedConfig('90-sixteen', 16, 60 * MIB));
      await eventually('the rendering is refused', async () =>
        (await cluster.message('worker', 'RenderDegraded')) === '' ? undefined : true,
      );
    });
    expect(await cluster.message('worker', 'RenderDegraded')).toBe(
      `Failed to render configuration for pool worker: could not generate rendered MachineConfig: the packed contents of 16 files unpack to ${960 * MIB} bytes, and those of a config may unpack to ${64 * MIB} at most; the largest is /etc/packed/0 with ${60 * MIB} bytes (in MachineConfig 90-sixteen)`,
    );
    expect(Math.max(...answers)).toBeLessThan(LONGEST_ANSWER_MS);
    await cluster.kubectl(['delete', 'mc/90-sixteen']);
    await eventually('the rendering is valid again', async () =>
      (await cluster.message('worker', 'RenderDegraded')) === '' ? true : undefined,
    );
    expect(sizes()).toEqual([undefined, undefined, undefined]);
  });

  it('of 60 MiB are rolled out and taken back while other requests are answered', async () => {
    const answers = await answersDuring(cluster, async () => {
      await cluster.rolledOut('worker', () => cluster.apply(packedConfig('90-one', 1, 60 * MIB)));
      expect(sizes()).toEqual(WORKERS.map(() => 60 * MIB));
      await cluster.rolledOut('worker', () => cluster.kubectl(['delete', 'mc/90-one']));
    });
    expect(sizes()).toEqual([undefined, undefined, undefined]);
    expect(answers.length).toBeGreaterThan(100);
    expect(Math.max(...answers)).toBeLessThan(LONGEST_ANSWER_MS);
  });
});
