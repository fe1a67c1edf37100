/** A kubeconfig with the token of a ServiceAccount. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { Cluster } from '../up/cluster.ts';
import { type KubectlCall, runKubectl } from '../up/running-kubectl.ts';

export type Account = { readonly name: string; readonly namespace: string };

type Kubeconfig = { readonly users: readonly { readonly name: string }[] };

/** As the server is now: another start may have another address. */
export async function kubeconfigOf(cluster: Cluster, { name, namespace }: Account): Promise<string> {
  const token = (await cluster.kubectl(['create', 'token', name, '-n', namespace])).trim();
  // `up` writes one user.
  const file = parse(await readFile(cluster.up.kubeconfig, 'utf8')) as Kubeconfig;
  const users = file.users.map((user) => ({ name: user.name, user: { token } }));
  const path = join(cluster.call.home, `kubeconfig-${name}`);
  await writeFile(path, stringify({ ...file, users }), { mode: 0o600 });
  return path;
}

/** Both outputs of kubectl, and whether it succeeded. */
export async function tryAs(call: KubectlCall, args: readonly string[], object?: object) {
  const { code, stdout, stderr } = await runKubectl(call, args, JSON.stringify(object ?? {}));
  return { isAllowed: code === 0, text: `${stdout}${stderr}` };
}
