/**
 * Which cluster a command works on. The first of these counts:
 *
 *     --kubeconfig, with --context          as given
 *     --data-dir                            the embedded cluster of that folder
 *     --context                             of $KUBECONFIG, else of ~/.kube/config
 *     $KUBECONFIG                           one file or several, merged as kubectl does
 *     the embedded cluster in .millwright   where it runs: a stopped one is named, and not used
 *     ~/.kube/config
 *
 * A source that is there and cannot be used is an error. The next one is never used in its place: that might be another cluster,
 * and the command might change it.
 */
import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { Failure } from '../../base/errors.ts';
import type { ServerAccess } from '../../kubernetes/client/index.ts';
import { readKubeconfig, readKubeconfigs } from '../../kubernetes/client/kubeconfig-node.ts';
import { type ClusterOptions, DEFAULT_DATA_DIR } from '../cluster-options.ts';
import type { Ports } from '../ports.ts';
import { embeddedCluster } from './embedded-cluster.ts';

export type SelectedCluster = {
  readonly access: ServerAccess;
  /** The folder of an embedded cluster, as it is named to people. */
  readonly dataDir?: string;
  /** Which cluster it is, where neither the command line nor the folder says so. */
  readonly notice?: string;
};

/** Throws a `Failure` that says what was looked at, and what to do. */
export async function selectCluster(options: ClusterOptions, ports: Ports): Promise<SelectedCluster> {
  refuseContradictions(options);
  const { kubeconfig, context, dataDir } = options;
  if (kubeconfig !== undefined) {
    return { access: await readKubeconfig(resolve(ports.cwd, kubeconfig), context) };
  }
  if (dataDir !== undefined) return await givenFolder(dataDir, ports);
  const paths = pathsOfEnvironment(ports);
  if (paths.length > 0) return await ofEnvironment(paths, options, ports);
  if (context !== undefined) return { access: await ofContext(context, ports) };
  return await ofFolderOrHome(ports);
}

/** For commands that cannot be undone, and where it is not obvious. */
export function describeAccess({ url, origin }: ServerAccess): string {
  return origin === undefined ? url : `${url} (context ${origin.context} of ${origin.kubeconfig})`;
}

function refuseContradictions({ kubeconfig, context, dataDir }: ClusterOptions): void {
  if (dataDir === undefined || kubeconfig !== undefined || context === undefined) return;
  throw noCluster('give --context or --data-dir, which names an embedded cluster, not both');
}

async function givenFolder(dataDir: string, { cwd }: Ports): Promise<SelectedCluster> {
  const path = resolve(cwd, join(dataDir, 'kubeconfig'));
  if (existsSync(path)) return { access: await readKubeconfig(path), dataDir };
  throw noCluster(
    `no cluster in ${dataDir}: start one with \`millwright up\`, or give a kubeconfig with --kubeconfig`,
  );
}

function pathsOfEnvironment({ environment, cwd }: Ports): readonly string[] {
  const names = (environment.KUBECONFIG ?? '').split(delimiter).filter((name) => name !== '');
  return names.map((name) => resolve(cwd, name));
}

async function ofEnvironment(
  paths: readonly string[],
  { context }: ClusterOptions,
  ports: Ports,
): Promise<SelectedCluster> {
  const access = await readKubeconfigs(paths, context);
  if (access === undefined) {
    const what = paths.length === 1 ? 'which does not exist' : 'none of which exists';
    throw noCluster(
      `$KUBECONFIG names ${paths.join(delimiter)}, ${what}: correct or unset it, or give a kubeconfig with --kubeconfig`,
    );
  }
  const isOfFolder = access.origin?.kubeconfig === folderKubeconfig(ports);
  return { access, ...(context !== undefined || isOfFolder ? {} : noticed(access)) };
}

async function ofContext(context: string, ports: Ports): Promise<ServerAccess> {
  const path = homeKubeconfig(ports);
  if (path !== undefined && existsSync(path)) return await readKubeconfig(path, context);
  throw noCluster(`--context: there is no kubeconfig: $KUBECONFIG is not set, and ${absentHome(path)}`);
}

async function ofFolderOrHome(ports: Ports): Promise<SelectedCluster> {
  const folder = await embeddedCluster(folderKubeconfig(ports));
  if (folder.kind === 'running') return { access: folder.access, dataDir: DEFAULT_DATA_DIR };
  const stopped = `the cluster in ${DEFAULT_DATA_DIR} is not running`;
  const path = homeKubeconfig(ports);
  if (path !== undefined && existsSync(path)) {
    return noticedAccess(await readKubeconfig(path), folder.kind === 'stopped' ? `; ${stopped}` : '');
  }
  const [what, start] =
    folder.kind === 'stopped'
      ? [`${stopped} (${folder.url} is unreachable)`, 'start it']
      : [`there is no cluster in ${DEFAULT_DATA_DIR}`, 'start one'];
  throw noCluster(
    `no cluster: $KUBECONFIG is not set, ${what}, and ${absentHome(path)}: ${start} with \`millwright up\`, or give a kubeconfig with --kubeconfig`,
  );
}

function noticedAccess(access: ServerAccess, more: string): SelectedCluster {
  return { access, ...noticed(access, more) };
}

function noticed(access: ServerAccess, more = ''): { readonly notice: string } {
  return { notice: `cluster: ${describeAccess(access)}${more}` };
}

function folderKubeconfig({ cwd }: Ports): string {
  return resolve(cwd, join(DEFAULT_DATA_DIR, 'kubeconfig'));
}

/** As kubectl finds it. */
function homeKubeconfig({ environment: { HOME: home } }: Ports): string | undefined {
  return home === undefined || home === '' ? undefined : join(home, '.kube', 'config');
}

function absentHome(path: string | undefined): string {
  return path === undefined ? '$HOME is not set' : `${path} does not exist`;
}

function noCluster(message: string): Failure {
  return new Failure('usage', 'NoCluster', message);
}
