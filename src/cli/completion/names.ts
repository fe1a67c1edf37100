/** Names of objects for completion: one short request for each kind, and none of them is worth an error. */
import { machineConfigPool, machineOSBuild } from '../../api/index.ts';
import { systemClock } from '../../base/env.ts';
import { isObject, own } from '../../base/json.ts';
import { stringAt } from '../../base/json-fields.ts';
import { withinLimit } from '../../base/waiting.ts';
import { collectionPath } from '../../kubernetes/client/index.ts';
import { createNodeTransport } from '../../kubernetes/client/transport-node.ts';
import { node } from '../../kubernetes/types/index.ts';
import { selectCluster } from '../cluster/select-cluster.ts';
import type { ClusterOptions } from '../cluster-options.ts';
import { ClusterSession } from '../objects/cluster-session.ts';
import type { Ports } from '../ports.ts';
import type { NameKind } from './complete.ts';

/** A person is waiting for the key that was pressed. */
const LIMIT_MS = 1_500;
/** More than anybody reads. */
const MAX_NAMES = 500;
/** Without the content of the objects. */
const METADATA = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

const KINDS = { pools: machineConfigPool, nodes: node, builds: machineOSBuild } as const;

export async function objectNames(
  kinds: readonly NameKind[],
  cluster: ClusterOptions,
  ports: Ports,
): Promise<readonly string[]> {
  const promise = listNames(kinds, cluster, ports).catch(() => []);
  const outcome = await withinLimit(systemClock, { promise, limitMs: LIMIT_MS });
  return outcome.kind === 'settled' ? outcome.value : [];
}

async function listNames(
  kinds: readonly NameKind[],
  cluster: ClusterOptions,
  ports: Ports,
): Promise<readonly string[]> {
  const { access } = await selectCluster(cluster, ports);
  const limits = { connectMs: LIMIT_MS, responseMs: LIMIT_MS };
  const transport = createNodeTransport({ access, clock: systemClock, limits });
  const session = new ClusterSession({
    transport,
    clock: systemClock,
    namespace: '',
    warn: () => undefined,
  });
  try {
    const list = async (kind: NameKind) => {
      const path = collectionPath(KINDS[kind]);
      return namesIn((await session.request({ path, query: { limit: MAX_NAMES }, accept: METADATA })).body);
    };
    return (await Promise.all(kinds.map((kind) => list(kind).catch(() => [])))).flat();
  } finally {
    transport.close();
  }
}

function namesIn(list: unknown): readonly string[] {
  const items = isObject(list) ? own(list, 'items') : undefined;
  return (Array.isArray(items) ? items : [])
    .map((item) => stringAt(item, 'metadata', 'name'))
    .filter((name) => name !== '');
}
