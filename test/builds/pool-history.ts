/**
 * Every state that a pool, its nodes and its MachineOSConfigs had, in the order of the server, over kills of `up`: a watch continues at
 * the version that the last one ended with.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { eventually } from '../contract/eventually.ts';
import type { KubectlCall } from '../up/running-kubectl.ts';

type Seen = {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion: string;
    readonly labels?: { readonly [key: string]: string };
    readonly annotations?: { readonly [key: string]: string };
  };
  readonly spec?: {
    readonly configuration?: { readonly name?: string };
    readonly machineConfigPool?: { readonly name?: string };
  };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly currentImagePullSpec?: string;
  };
};

type Change = {
  readonly kind: Kind;
  readonly version: number;
  readonly isDeleted: boolean;
  readonly object: Seen;
};
type Kind = 'pool' | 'node' | 'config';

const KINDS = '/apis/machineconfiguration.openshift.io/v1';
const PATHS: { readonly [K in Kind]: string } = {
  pool: `${KINDS}/machineconfigpools`,
  node: '/api/v1/nodes',
  config: `${KINDS}/machineosconfigs`,
};
const KIND_NAMES = Object.keys(PATHS) as readonly Kind[];
const MC = 'machineconfiguration.openshift.io';

export class PoolHistory {
  readonly #changes: Change[] = [];
  readonly #watches = new Set<ChildProcess>();

  /** At first, and after each start of the server: the watches of the last one have ended with it. */
  follow(call: KubectlCall): void {
    for (const kind of KIND_NAMES) this.#watch(call, kind);
  }

  #watch({ program, kubeconfig, home }: KubectlCall, kind: Kind): void {
    const last = Math.max(0, ...this.#of(kind).map(({ version }) => version));
    const path = `${PATHS[kind]}?watch=true${last === 0 ? '' : `&resourceVersion=${last}`}`;
    const child = spawn(program, ['get', '--raw', path], {
      env: { ...process.env, HOME: home, KUBECONFIG: kubeconfig },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.#watches.add(child);
    createInterface({ input: child.stdout }).on('line', (line) => {
      const change = parseChange(kind, line);
      if (change !== undefined) this.#changes.push(change);
    });
    child.on('close', () => this.#watches.delete(child));
  }

  #of(kind: Kind): readonly Change[] {
    return this.#changes.filter((change) => change.kind === kind);
  }

  /** Once the watches have told everything up to this version of a pool. */
  async untilSeen(version: string): Promise<void> {
    await eventually(`version ${version} of the pool is seen`, async () =>
      this.#of('pool').some((change) => change.version >= Number(version)) ? true : undefined,
    );
  }

  stop(): void {
    for (const child of this.#watches) child.kill('SIGTERM');
  }

  /**
   * Writes of the pool as updated while one of its nodes had another config or another image than that of its MachineOSConfig; and
   * how many writes were looked at.
   */
  judge(pool: string): { readonly updates: number; readonly wrong: readonly string[] } {
    const nodes = new Map<string, Seen>();
    const configs = new Map<string, Seen>();
    const wrong: string[] = [];
    let updates = 0;
    const inOrder = [...this.#changes].sort((a, b) => a.version - b.version);
    for (const { kind, version, isDeleted, object } of inOrder) {
      const { name } = object.metadata;
      const known = kind === 'node' ? nodes : configs;
      if (kind !== 'pool') {
        if (isDeleted) known.delete(name);
        else known.set(name, object);
      } else if (name === pool && isUpdated(object)) {
        updates++;
        wrong.push(...staleNodes(object, { nodes, config: configOf(pool, configs), version }));
      }
    }
    return { updates, wrong };
  }
}

/** The first by name counts. */
function configOf(pool: string, configs: ReadonlyMap<string, Seen>): Seen | undefined {
  return [...configs.values()]
    .filter(({ spec }) => spec?.machineConfigPool?.name === pool)
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))[0];
}

function parseChange(kind: Kind, line: string): Change | undefined {
  // The last line may be cut off by a kill, and is told again.
  let event: { readonly type?: string; readonly object?: Seen };
  try {
    event = JSON.parse(line);
  } catch {
    return undefined;
  }
  const { type, object } = event;
  if (object === undefined || !['ADDED', 'MODIFIED', 'DELETED'].includes(type ?? '')) {
    throw new Error(`the watch of ${PATHS[kind]} was told ${line}`);
  }
  return { kind, version: Number(object.metadata.resourceVersion), isDeleted: type === 'DELETED', object };
}

function isUpdated({ status }: Seen): boolean {
  return status?.conditions?.some((one) => one.type === 'Updated' && one.status === 'True') ?? false;
}

type World = {
  readonly nodes: ReadonlyMap<string, Seen>;
  readonly config: Seen | undefined;
  readonly version: number;
};

function staleNodes(pool: Seen, { nodes, config, version }: World): readonly string[] {
  const role = `node-role.kubernetes.io/${pool.metadata.name}`;
  const members = [...nodes.values()].filter(({ metadata }) => metadata.labels?.[role] !== undefined);
  const wanted = {
    currentConfig: pool.spec?.configuration?.name ?? '',
    currentImage: config?.status?.currentImagePullSpec ?? '',
    state: 'Done',
  };
  return members.flatMap(({ metadata }) =>
    Object.entries(wanted).flatMap(([key, value]) => {
      const found = metadata.annotations?.[`${MC}/${key}`] ?? '';
      return found === value ? [] : [`${version}: ${metadata.name} has ${key}=${found}, not ${value}`];
    }),
  );
}
