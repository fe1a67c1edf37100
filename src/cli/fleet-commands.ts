/**
 * `millwright node add` and `millwright node remove`: ask any node of the embedded cluster for it, and print each step.
 */
import { Failure } from '../base/errors.ts';
import { isObject, own } from '../base/json.ts';
import { stringAt } from '../base/json-fields.ts';
import { linesOf, type NodeOptions, SandboxNode } from './node-command.ts';
import type { ClusterSession } from './objects/cluster-session.ts';
import { runInCluster, throwUsageError } from './objects/run-in-cluster.ts';
import type { Ports } from './ports.ts';

export type AddNodeOptions = NodeOptions & { readonly pool: string; readonly name?: string };

export type RemoveNodeOptions = NodeOptions & { readonly force?: true };

export async function addNodeCommand(options: AddNodeOptions, ports: Ports): Promise<number> {
  const { pool, name } = options;
  const query = { pool, ...(name === undefined ? {} : { name }) };
  return await change(options, ports, { path: '/machines/add', query, done: 'added' });
}

export async function removeNodeCommand(
  name: string,
  options: RemoveNodeOptions,
  ports: Ports,
): Promise<number> {
  const query = { name, ...(options.force === true ? { force: 'true' } : {}) };
  return await change(options, ports, { path: '/machines/remove', query, done: 'removed' });
}

type Change = {
  readonly path: string;
  readonly query: { readonly [name: string]: string };
  readonly done: string;
};

async function change(options: NodeOptions, ports: Ports, { path, query, done }: Change): Promise<number> {
  return await runInCluster(options, ports, async ({ session, notify, reportError }) => {
    // An option of `millwright node`, and so of its commands.
    if (options.dryRun === true) throwUsageError('--dry-run is valid with touch and reboot only');
    const asked = new SandboxNode(session, await readyNode(session));
    for await (const line of linesOf(await asked.stream('POST', path, query))) {
      const { progress, error, node } = parseLine(line);
      if (progress !== '') notify(progress);
      else if (node !== '') return ports.stdout(`node/${node} ${done}\n`);
      else return reportError(error);
    }
    throw new Failure('transient', 'CutShort', `the cluster was stopped before the machine was ${done}`);
  });
}

/** Any will do: they are all in the process of the cluster. */
async function readyNode(session: ClusterSession): Promise<string> {
  const list = (await session.request({ path: '/api/v1/nodes' })).body;
  const items = isObject(list) ? own(list, 'items') : undefined;
  const ready = (Array.isArray(items) ? items : []).find(isReady);
  if (ready !== undefined) return stringAt(ready, 'metadata', 'name');
  throw new Failure('transient', 'NoNode', 'no node of the cluster is Ready: try again once one is');
}

function isReady(node: unknown): boolean {
  const status = isObject(node) ? own(node, 'status') : undefined;
  const conditions = isObject(status) ? own(status, 'conditions') : undefined;
  return (Array.isArray(conditions) ? conditions : []).some(
    (one) => stringAt(one, 'type') === 'Ready' && stringAt(one, 'status') === 'True',
  );
}

type ChangeLine = { readonly progress: string; readonly error: string; readonly node: string };

function parseLine(line: string): ChangeLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { progress: '', node: '', error: 'the response of the cluster cannot be parsed' };
  }
  return {
    progress: stringAt(value, 'progress'),
    error: stringAt(value, 'error'),
    node: stringAt(value, 'node'),
  };
}
