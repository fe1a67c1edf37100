/** What the API server was asked to do to nodes and pods, from its audit log: also what was undone soon after. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Writes to nodes with their bodies, and evictions. */
const POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    {
      level: 'Request',
      verbs: ['create', 'update', 'patch'],
      resources: [{ group: '', resources: ['nodes', 'pods/eviction'] }],
    },
    { level: 'None' },
  ],
};

/** Flags of the API server. */
export async function auditArgs(folder: string): Promise<readonly string[]> {
  const policy = join(folder, 'audit-policy.json');
  await writeFile(policy, JSON.stringify(POLICY));
  return [`--audit-policy-file=${policy}`, `--audit-log-path=${logPath(folder)}`];
}

function logPath(folder: string): string {
  return join(folder, 'audit.log');
}

type AuditEvent = {
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly requestObject?: { readonly spec?: { readonly unschedulable?: boolean | null } };
};

/** `cordon NODE`, `uncordon NODE` and `evict NAMESPACE/POD`, in their order. */
export async function drainRequests(folder: string): Promise<readonly string[]> {
  const text = await readFile(logPath(folder), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const { objectRef, requestObject }: AuditEvent = JSON.parse(line);
      if (objectRef?.subresource === 'eviction') return [`evict ${objectRef.namespace}/${objectRef.name}`];
      const unschedulable = requestObject?.spec?.unschedulable;
      if (unschedulable === undefined) return [];
      return [`${unschedulable === true ? 'cordon' : 'uncordon'} ${objectRef?.name}`];
    });
}

/** What was requested after this call, whenever it is asked for. */
export async function watchDrains(cluster: {
  readonly drainRequests: () => Promise<readonly string[]>;
}): Promise<() => Promise<readonly string[]>> {
  const earlier = (await cluster.drainRequests()).length;
  return async () => (await cluster.drainRequests()).slice(earlier);
}

/** The maximum number of nodes that were cordoned at the same time. */
export function mostCordoned(requests: readonly string[]): number {
  const cordoned = new Set<string>();
  let most = 0;
  for (const request of requests) {
    const [verb = '', name = ''] = request.split(' ');
    if (verb === 'cordon') cordoned.add(name);
    if (verb === 'uncordon') cordoned.delete(name);
    most = Math.max(most, cordoned.size);
  }
  return most;
}
