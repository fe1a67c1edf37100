/**
 * The power is cut at every call of the disk while CAs of registries are synced: afterwards the node has the old or the new
 * content of each, never a part of it, and ends with exactly the CAs of the ControllerConfig.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { annotations, machineConfigNode as machineConfigNodeKind } from '../../src/api/index.ts';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import { seededRandom } from '../support/virtual-env.ts';
import { aConfig } from './a-config.ts';
import type { DaemonNode } from './daemon-node.ts';
import { addUpdatedNode } from './power-cuts.ts';
import { caPath, setRegistryCas } from './registry-cas.ts';
import { nodeConfig, type SmallCluster, startSmallCluster } from './small-cluster.ts';

const FIRST = { 'kept.example': 'kept', 'changed.example..5000': 'old', 'gone.example': 'gone' };
const SECOND = { 'kept.example': 'kept', 'changed.example..5000': 'new', 'added.example': 'added' };
const CONFIG = aConfig('rendered-cas', { files: { '/etc/docker/certs.d/.create': '' } });

type Cut = { readonly call: number; readonly when: 'before' | 'within'; readonly isTorn: boolean };

let cluster: SmallCluster;
let count = 0;
beforeAll(async () => {
  cluster = await startSmallCluster();
  await cluster.addConfig(CONFIG);
});
afterAll(() => cluster.stop());

async function startNode(): Promise<DaemonNode> {
  const name = `cas-${count++}`;
  const node = await addUpdatedNode(cluster, nodeConfig(CONFIG), { name, seed: count });
  node.startDaemon();
  return node;
}

async function registriesOn({
  machine,
  text,
}: DaemonNode): Promise<{ readonly [registry: string]: unknown }> {
  const names = (await machine.host.files.list('/etc/docker/certs.d')) ?? [];
  const found: { [registry: string]: unknown } = {};
  for (const name of names.filter((one) => one !== '.create')) {
    const inside = (await machine.host.files.list(`/etc/docker/certs.d/${name}`)) ?? [];
    found[name] = inside.length === 1 ? await text(caPath(name)) : inside;
  }
  return found;
}

const isReported =
  ({ name }: DaemonNode, version: string) =>
  () =>
    cluster.nodes.get({ name })?.metadata.annotations?.[
      annotations.lastSyncedControllerConfigResourceVersion
    ] === version;

/** Returns the faults, and how many calls the sync takes. */
async function syncWith(cut?: Cut): Promise<{ readonly calls: number; readonly faults: readonly string[] }> {
  const first = await setRegistryCas(cluster, FIRST);
  const node = await startNode();
  const { clock } = cluster.env;
  await clock.advanceUntil(isReported(node, first), 60_000);
  await clock.advance(10_000);
  const before = node.disk.callCount;
  const remains = cut?.isTorn === true ? seededRandom(cut.call) : 'nothing';
  if (cut !== undefined) node.disk.planCut({ call: cut.call, when: cut.when, remains });
  const second = await setRegistryCas(cluster, SECOND);
  await clock.advanceUntil(() => isReported(node, second)() || !node.disk.isOn, 60_000);
  const calls = node.disk.callCount - before;
  const faults: string[] = [];
  if (!node.disk.isOn) {
    node.machine.cutPower();
    await node.machine.boot();
    const text = (await node.text(caPath('changed.example:5000'))) ?? 'nothing';
    if (!['old', 'new'].includes(text)) faults.push(`after the cut its content is ${text}`);
    await clock.advanceUntil(isReported(node, second), 60_000);
  }
  node.disk.planCut(undefined);
  await clock.advance(10_000);
  const found = JSON.stringify(await registriesOn(node));
  const wanted = { 'added.example': 'added', 'changed.example:5000': 'new', 'kept.example': 'kept' };
  if (found !== JSON.stringify(wanted)) faults.push(`in the end the node has ${found}`);
  if (cluster.nodes.get({ name: node.name })?.metadata.annotations?.[annotations.state] !== 'Done') {
    faults.push('in the end the node is not Done');
  }
  node.stopDaemon();
  await cluster.kube.delete(nodeKind, { name: node.name });
  await cluster.kube.delete(machineConfigNodeKind, { name: node.name });
  return { calls, faults };
}

describe('a power cut at any call of the disk while CAs are synced', () => {
  it('leaves the old or the new content of each, and the next boot completes the sync', async () => {
    const { calls, faults } = await syncWith();
    expect(faults).toEqual([]);
    const found: string[] = [];
    for (let call = 1; call <= calls; call++) {
      for (const cut of [
        { call, when: 'before', isTorn: false },
        { call, when: 'within', isTorn: true },
      ] as const) {
        const result = await syncWith(cut);
        found.push(...result.faults.map((fault) => `${cut.when} call ${call} of ${calls}: ${fault}`));
      }
    }
    expect(found).toEqual([]);
  });
});
