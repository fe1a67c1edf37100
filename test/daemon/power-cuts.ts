/**
 * Cuts the power of a machine at a call of its disk during an update, boots it, and checks the result.
 */
import {
  annotations,
  type MachineConfig,
  machineConfigNode as machineConfigNodeKind,
} from '../../src/api/index.ts';
import type { PlannedCut } from '../../src/embedded/sandbox/index.ts';
import { node as nodeKind } from '../../src/kubernetes/types/index.ts';
import { BACKUPS, CURRENT_CONFIG, JOURNAL, JOURNAL_FROM, JOURNAL_TO } from '../../src/node/daemon/index.ts';
import { FETCHED_IMAGE } from '../../src/node/daemon/state-paths.ts';
import { storeConfig } from '../../src/node/daemon/stored-config.ts';
import { validate } from '../../src/node/daemon/validate.ts';
import type { HostFiles } from '../../src/node/host/index.ts';
import type { NodeConfig } from '../../src/node/plan/index.ts';
import { seededRandom } from '../support/virtual-env.ts';
import {
  createDaemonNode,
  type DaemonNode,
  NO_TIME,
  type NodeOptions,
  OLD_OS,
  osImages,
  provision,
} from './daemon-node.ts';
import { nodeConfig, type SmallCluster } from './small-cluster.ts';

export type UpdateCase = {
  readonly name: string;
  readonly from: MachineConfig;
  readonly to: MachineConfig;
  /** A manual change before the update. */
  readonly prepare?: (node: DaemonNode) => Promise<void>;
  /** The update cannot succeed: it is rolled back, and the config is reverted. */
  readonly isFailing?: boolean;
  /** Further checks at the end. */
  readonly judge?: (node: DaemonNode) => Promise<readonly string[]>;
};

/** `boot`: the machine boots again. `resume`: only the process was killed, and unsynced data is lost. */
export type Cut = Pick<PlannedCut, 'call' | 'when'> & {
  readonly back: 'boot' | 'resume';
  /** A random part of the unsynced data remains. */
  readonly isTorn?: boolean;
};

export type CutResult = {
  readonly faults: readonly string[];
  readonly calls: number;
  readonly wasCut: boolean;
};

const LIMIT_MS = 20 * 60_000;
let count = 0;

/** Without a cut: how many calls the update takes. */
export async function runUpdate(cluster: SmallCluster, update: UpdateCase, cut?: Cut): Promise<CutResult> {
  const name = `cut-${count++}`;
  const [from, to] = [nodeConfig(update.from), nodeConfig(update.to)];
  const settings = { pullWaitsMs: [100, 100], retry: { baseMs: 1_000, factor: 2, capMs: 4_000, jitter: 0 } };
  const node = await addUpdatedNode(cluster, from, { name, seed: count, settings });
  await update.prepare?.(node);
  node.startDaemon();
  await settled(cluster, node, from.name);
  const before = node.disk.callCount;
  if (cut !== undefined) {
    const remains = cut.isTorn === true ? seededRandom(cut.call) : 'nothing';
    node.disk.planCut({ call: cut.call, when: cut.when, remains });
  }
  const faults: string[] = [];
  await cluster.send(name, to.name);
  await followed(cluster, node, { update, to, from, faults, cut });
  const calls = node.disk.callCount - before;
  faults.push(...(await judged(node, update.isFailing === true ? from : to)));
  faults.push(...((await update.judge?.(node)) ?? []));
  node.stopDaemon();
  await cluster.kube.delete(nodeKind, { name });
  await cluster.kube.delete(machineConfigNodeKind, { name });
  return { faults, calls, wasCut: cut !== undefined };
}

type UpdatedNodeOptions = Pick<NodeOptions, 'name' | 'seed' | 'settings'>;

/** A node that has run with a config for a while; its daemon is not started yet. */
export async function addUpdatedNode(
  cluster: SmallCluster,
  config: NodeConfig,
  options: UpdatedNodeOptions,
): Promise<DaemonNode> {
  await cluster.addNode(options.name, {
    [annotations.currentConfig]: config.name,
    [annotations.desiredConfig]: config.name,
    [annotations.state]: 'Done',
  });
  const node = await createDaemonNode({
    ...cluster,
    ...options,
    images: osImages(),
    image: OLD_OS,
    durations: NO_TIME,
    isQuiet: true,
    kernelArguments: ['rw', ...config.kernelArguments],
  });
  await provision(node, config, {});
  await node.machine.host.files.remove('/etc/machine-config-daemon/node-annotations.json');
  await storeConfig(node.machine.host, config);
  return node;
}

type Following = {
  readonly update: UpdateCase;
  readonly from: NodeConfig;
  readonly to: NodeConfig;
  readonly faults: string[];
  readonly cut: Cut | undefined;
};

async function followed(cluster: SmallCluster, node: DaemonNode, following: Following): Promise<void> {
  const { update, to, from, faults, cut } = following;
  const isThere = (config: string) => isDone(cluster, node, config);
  const isBeaten = () => state(cluster, node) === 'Degraded';
  await advance(
    cluster,
    node,
    () => (update.isFailing === true ? isBeaten() : isThere(to.name)) || !node.disk.isOn,
  );
  if (cut !== undefined && !node.disk.isOn) {
    node.machine.cutPower();
    // The machine does not notice that the process was killed.
    if (cut.back === 'resume') node.disk.restorePower();
    await (cut.back === 'boot' ? node.machine.boot() : node.machine.resume());
    faults.push(...(await claimed(node)));
    await advance(cluster, node, () => (update.isFailing === true ? isBeaten() : isThere(to.name)));
  }
  node.disk.planCut(undefined);
  if (update.isFailing === true) {
    await cluster.send(node.name, from.name);
    await settled(cluster, node, from.name);
  }
}

async function settled(cluster: SmallCluster, node: DaemonNode, config: string): Promise<void> {
  await advance(cluster, node, () => isDone(cluster, node, config));
}

async function advance(cluster: SmallCluster, node: DaemonNode, holds: () => boolean): Promise<void> {
  try {
    await cluster.env.clock.advanceUntil(holds, LIMIT_MS);
  } catch (error) {
    throw new Error(`${String(error)}\n${node.lines.slice(-40).join('\n')}`);
  }
}

function state(cluster: SmallCluster, { name }: DaemonNode): string {
  return cluster.nodes.get({ name })?.metadata.annotations?.[annotations.state] ?? '';
}

function isDone(cluster: SmallCluster, node: DaemonNode, config: string): boolean {
  const reported = cluster.nodes.get({ name: node.name })?.metadata.annotations ?? {};
  const status = cluster.machineConfigNodes.get({ name: node.name })?.status;
  return (
    reported[annotations.currentConfig] === config &&
    reported[annotations.desiredConfig] === config &&
    reported[annotations.state] === 'Done' &&
    status?.configVersion?.current === config &&
    status.conditions?.find(({ type }) => type === 'Updated')?.status === 'True'
  );
}

const PAUSING = { clock: { pause: async () => undefined } };

/** Without an update in progress, the disk matches the current config. */
async function claimed(node: DaemonNode): Promise<readonly string[]> {
  if ((await node.text(JOURNAL)) !== undefined) return [];
  const stored = await node.text(CURRENT_CONFIG);
  if (stored === undefined) return ['after the cut the disk holds neither a journal nor a config'];
  const config = nodeConfig(JSON.parse(stored));
  const { problem } = await validate({ host: node.machine.host, env: PAUSING }, config, 'all');
  return problem === undefined ? [] : [`after the cut, against ${config.name}: ${problem.explained}`];
}

async function judged(node: DaemonNode, config: NodeConfig): Promise<readonly string[]> {
  const { host } = node.machine;
  const faults: string[] = [];
  const { problem } = await validate({ host, env: PAUSING }, config, 'all');
  if (problem !== undefined) faults.push(`in the end, against ${config.name}: ${problem.explained}`);
  if (JSON.parse((await node.text(CURRENT_CONFIG)) ?? '{}').metadata?.name !== config.name) {
    faults.push(`in the end the current config on disk is not ${config.name}`);
  }
  const left = await leftovers(host.files, '/');
  const images = await imageLeftovers(node);
  return [...faults, ...[...left, ...images].map((path) => `in the end ${path} is left over`)];
}

/** Images of no deployment, whole or half, and their temporary files. */
export async function imageLeftovers({ disk, machine }: DaemonNode): Promise<readonly string[]> {
  const deployed = (await machine.host.os.deployments()).map(({ digest }) => digest?.replace(':', '-'));
  const there = await disk.list('/machine/images');
  const machineFiles = (await disk.list('/machine')).filter((name) => name.startsWith('.'));
  return [...there.filter((name) => !deployed.includes(name)), ...machineFiles].map(
    (name) => `image ${name}`,
  );
}

const OWN: ReadonlySet<string> = new Set([JOURNAL, JOURNAL_FROM, JOURNAL_TO, BACKUPS, FETCHED_IMAGE]);

/** What no update may leave behind: temporary files, and its journal. */
async function leftovers(files: HostFiles, folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of (await files.list(folder)) ?? []) {
    const path = `${folder === '/' ? '' : folder}/${name}`;
    if (OWN.has(path) || /^\..*\d{6,}$/.test(name)) found.push(path);
    const stat = await files.stat(path);
    if (stat?.kind === 'folder' && path !== '/usr' && path !== '/proc')
      found.push(...(await leftovers(files, path)));
  }
  return found;
}
