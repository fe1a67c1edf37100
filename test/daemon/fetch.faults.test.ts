/**
 * The power is cut, or the daemon is killed, at every call of the disk while an OS image is fetched ahead: the machine boots the
 * old OS, the image is fetched and answered in the end, and nothing of it is left once nobody asks for it. Updates, which fetch
 * before the drain, are interrupted in `power-cut.faults.test.ts`.
 *
 * By default a sample; all of them with MILLWRIGHT_EVERY_CUT=1, as there.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { annotations } from '../../src/api/index.ts';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import { FETCHED_IMAGE } from '../../src/node/daemon/state-paths.ts';
import { seededRandom } from '../support/virtual-env.ts';
import { aConfig } from './a-config.ts';
import { type DaemonNode, NEW_OS, OLD_OS } from './daemon-node.ts';
import { addUpdatedNode, type Cut, imageLeftovers } from './power-cuts.ts';
import { nodeConfig, type SmallCluster, startSmallCluster } from './small-cluster.ts';

const isEvery = process.env.MILLWRIGHT_EVERY_CUT === '1';
const CUTS = 60;
const LIMIT_MS = 20 * 60_000;
const CONFIG = aConfig('rendered-fetch', { files: { '/etc/a': 'one' } });

let cluster: SmallCluster;
beforeAll(async () => {
  cluster = await startSmallCluster();
  await cluster.addConfig(CONFIG);
});
afterAll(() => cluster.stop());

const ask = async ({ name }: DaemonNode, image: string | null) => {
  const body = { metadata: { annotations: { [annotations.fetchImage]: image } } };
  await cluster.kube.patch(nodeKind, { name }, { type: 'merge', body });
};
const answer = ({ name }: DaemonNode) =>
  cluster.nodes.get({ name })?.metadata.annotations?.[annotations.fetchedImage];
const advance = (node: DaemonNode, holds: () => boolean) =>
  cluster.env.clock.advanceUntil(holds, LIMIT_MS).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${node.lines.slice(-30).join('\n')}`);
  });

let count = 0;

/** The faults, and how many calls of the disk the fetch and its removal take. */
async function fetchedWith(
  cut?: Cut,
): Promise<{ readonly faults: readonly string[]; readonly calls: number }> {
  const name = `fetching-${count++}`;
  const settings = { pullWaitsMs: [100], retry: { baseMs: 1_000, factor: 2, capMs: 4_000, jitter: 0 } };
  const node = await addUpdatedNode(cluster, nodeConfig(CONFIG), { name, seed: count, settings });
  node.startDaemon();
  await advance(node, () => node.lines.some((line) => line.includes('Validated on-disk state')));
  const before = node.disk.callCount;
  if (cut !== undefined) {
    const remains = cut.isTorn === true ? seededRandom(cut.call) : 'nothing';
    node.disk.planCut({ call: cut.call, when: cut.when, remains });
  }
  const faults: string[] = [];
  await ask(node, NEW_OS);
  await until(node, { holds: () => answer(node) === NEW_OS, cut, faults });
  await ask(node, null);
  await until(node, { holds: () => answer(node) === undefined, cut, faults });
  node.disk.planCut(undefined);
  const calls = node.disk.callCount - before;
  faults.push(...(await imageLeftovers(node)).map((left) => `${left} is left over`));
  if ((await node.text(FETCHED_IMAGE)) !== undefined) faults.push('the note is left over');
  faults.push(...(await notBooted(node)));
  node.stopDaemon();
  await cluster.kube.delete(nodeKind, { name });
  return { faults, calls };
}

type Waiting = {
  readonly holds: () => boolean;
  readonly cut: Cut | undefined;
  readonly faults: string[];
};

async function until(node: DaemonNode, { holds, cut, faults }: Waiting): Promise<void> {
  await advance(node, () => holds() || !node.disk.isOn);
  if (node.disk.isOn || cut === undefined) return;
  node.machine.cutPower();
  if (cut.back === 'resume') node.disk.restorePower();
  await (cut.back === 'boot' ? node.machine.boot() : node.machine.resume());
  faults.push(...(await notBooted(node)));
  await advance(node, holds);
}

async function notBooted({ machine }: DaemonNode): Promise<readonly string[]> {
  const images = (await machine.host.os.deployments()).map(({ image }) => image);
  return images.join() === OLD_OS ? [] : [`deployed: ${images.join()}`];
}

describe('a fetch ahead that is interrupted at any call of the disk', () => {
  it('leaves the old OS, ends with the image, and leaves nothing when it is withdrawn', async () => {
    const whole = await fetchedWith();
    expect(whole.faults).toEqual([]);
    expect(whole.calls).toBeGreaterThan(20);
    const all = Array.from({ length: whole.calls }, (_, index) => index + 1).flatMap(
      (call): readonly Cut[] => [
        { call, when: 'before', back: 'boot' },
        { call, when: 'within', back: 'boot', isTorn: true },
        { call, when: 'before', back: 'resume' },
      ],
    );
    const step = isEvery ? 1 : Math.max(1, all.length / CUTS);
    const faults: string[] = [];
    for (let at = 0; at < all.length && faults.length < 4; at += step) {
      const cut = all[Math.floor(at)];
      if (cut === undefined) continue;
      const result = await fetchedWith(cut).catch((error: unknown) => ({ faults: [String(error)] }));
      faults.push(
        ...result.faults.map(
          (fault) => `${cut.when} call ${cut.call} of ${whole.calls}, ${cut.back}: ${fault}`,
        ),
      );
    }
    expect(faults).toEqual([]);
  });
});
