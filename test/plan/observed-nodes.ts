/**
 * What happens on the nodes of an embedded cluster, from the outside: a watch of kubectl, and boot ids, services and logs on the disks
 * of the machines.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Node } from '../../src/kubernetes/types/index.ts';
import type { Cluster } from '../up/cluster.ts';
import { isCordoned } from '../up/node-states.ts';
import { type Seen, watchObjects } from '../up/object-history.ts';
import type { Deeds } from './prediction.ts';

export type ObservedNodes = {
  /** Makes a change, and returns what it led to. */
  readonly during: (act: () => Promise<void>) => Promise<Observed>;
  readonly stop: () => Promise<void>;
};

export type Observed = {
  /** In the order in which they got another target. */
  readonly targeted: readonly string[];
  /** By node, only those that got another target. */
  readonly nodes: { readonly [name: string]: Deeds };
  /** The most nodes that were cordoned at the same time. */
  readonly cordonedAtOnce: number;
};

const DESIRED = 'machineconfiguration.openshift.io/desiredConfig';

export async function observeNodes(cluster: Cluster, names: readonly string[]): Promise<ObservedNodes> {
  const events: Seen<Node>[] = [];
  const watching = await watchObjects<Node>(cluster.call, ['nodes'], (event) => events.push(event));
  const caughtUp = async () => {
    const { items } = await cluster.object<{ readonly items: readonly Node[] }>('nodes');
    const versions = new Map(items.map(({ metadata }) => [metadata.uid, Number(metadata.resourceVersion)]));
    await watching.until('the watch has seen it all', (now) =>
      now.every(({ metadata }) => Number(metadata.resourceVersion) >= (versions.get(metadata.uid) ?? 0)),
    );
  };
  return {
    async during(act) {
      await caughtUp();
      const first = events.length;
      const last = new Map(events.map(({ object }) => [object.metadata.name, object]));
      const before = new Map(names.map((name) => [name, diskOf(cluster, name)]));
      await act();
      await caughtUp();
      const { targeted, cordoned, cordonedAtOnce } = courseOf(last, events.slice(first));
      const deeds = names
        .filter((name) => targeted.includes(name))
        .map((name) => {
          const disk = before.get(name) ?? diskOf(cluster, name);
          return [name, { isDrained: cordoned.has(name), ...deedsSince(cluster, name, disk) }] as const;
        });
      return { targeted, nodes: Object.fromEntries(deeds), cordonedAtOnce };
    },
    async stop() {
      await watching.stop();
    },
  };
}

/** `last`: every node as it was before these events. */
function courseOf(last: Map<string, Node>, events: readonly Seen<Node>[]) {
  const targeted: string[] = [];
  const cordoned = new Set<string>();
  let cordonedAtOnce = 0;
  for (const { object } of events) {
    const { name } = object.metadata;
    const desired = (node: Node | undefined) => node?.metadata.annotations?.[DESIRED];
    if (desired(object) !== desired(last.get(name)) && !targeted.includes(name)) targeted.push(name);
    last.set(name, object);
    const now = [...last.values()].filter(isCordoned);
    for (const { metadata } of now) cordoned.add(metadata.name);
    cordonedAtOnce = Math.max(cordonedAtOnce, now.length);
  }
  return { targeted, cordoned, cordonedAtOnce };
}

type Disk = {
  readonly bootId: string;
  readonly logBytes: number;
  readonly services: ReadonlyMap<string, Service>;
};

type Service = { readonly name: string; readonly starts: number; readonly reloads: number };

function diskOf(cluster: Cluster, name: string): Disk {
  const folder = join(cluster.dataDir, 'nodes', name);
  const services: readonly Service[] = JSON.parse(
    readFileSync(join(folder, 'machine/services.json'), 'utf8'),
  );
  return {
    bootId: readFileSync(cluster.onNode(name, 'proc/sys/kernel/random/boot_id'), 'utf8'),
    logBytes: statSync(join(folder, 'log')).size,
    services: new Map(services.map((one) => [one.name, one])),
  };
}

function deedsSince(cluster: Cluster, name: string, before: Disk): Omit<Deeds, 'isDrained'> {
  const after = diskOf(cluster, name);
  const isRebooted = before.bootId !== after.bootId;
  const log = readFileSync(join(cluster.dataDir, 'nodes', name, 'log'));
  const lines = log.subarray(before.logBytes).toString('utf8');
  const touched = [...after.services.values()].flatMap((service) => {
    const old = before.services.get(service.name);
    return [
      ...(service.starts > (old?.starts ?? 0) ? [`restart ${service.name}`] : []),
      ...(service.reloads > (old?.reloads ?? 0) ? [`reload ${service.name}`] : []),
    ];
  });
  const hasReloaded = lines.includes('daemon-reload service reloaded successfully!');
  return {
    isRebooted,
    services: isRebooted ? [] : [...touched, ...(hasReloaded ? ['reload systemd'] : [])].sort(),
  };
}
