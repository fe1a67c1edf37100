/**
 * Sockets of container runtimes, and the units that serve them.
 */
import { pathsOf } from '../plan/index.ts';
import { type Finding, type PreflightSnapshot, refusal, warning } from './check.ts';
import { KUBELET_SERVICES } from './kubelet-command.ts';
import { unitPresence } from './unit-presence.ts';
import { configText, unitTextPaths } from './written-texts.ts';

/** The path of a socket; undefined for others, as those of Windows. */
export function socketPath(endpoint: string): string | undefined {
  const path = endpoint.replace(/^unix:(\/\/)?/, '');
  return path.startsWith('/') ? path : undefined;
}

/** The units that create such a socket; empty where none is known. */
export function serversOf(endpoint: string): readonly string[] {
  const path = (socketPath(endpoint) ?? '').replace(/^\/var\/run\//, '/run/');
  return SERVERS.get(path) ?? [];
}

const SERVERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['/run/crio/crio.sock', ['crio.service', 'cri-o.service']],
  ['/run/containerd/containerd.sock', ['containerd.service']],
  ['/run/cri-dockerd.sock', ['cri-docker.socket', 'cri-docker.service']],
  ['/run/k3s/containerd/containerd.sock', ['k3s.service', 'k3s-agent.service']],
]);

type Endpoint = {
  /** The file or unit that names it. */
  readonly subject: string;
  readonly setting: string;
  readonly endpoint: string;
};

/** A kubelet without the socket of its container runtime runs no pods and is not ready again. */
export function endpointFindings(snapshot: PreflightSnapshot, named: Endpoint): readonly Finding[] {
  const { node } = snapshot;
  const { subject, setting, endpoint } = named;
  const path = socketPath(endpoint);
  if (path === undefined) return foreignFindings(named);
  const isThere = node.paths.get(path);
  if (isThere === undefined || (isThere && node.nextOs !== 'known')) return [];
  const servers = serversOf(endpoint);
  const presences = servers.map((unit) => unitPresence(snapshot, unit));
  if (presences.some((one) => one === 'present' || one === 'unknown')) return [];
  const why = `its ${setting} is ${path}, which does not exist on the node`;
  const remedy = 'name the socket of the runtime that the node has';
  if (servers.length === 0) {
    if (isThere) return [];
    if (mayCreate(snapshot, path)) return [warning(subject, { why })];
    return [
      refusal(subject, {
        why: `${why}, and nothing of the config creates it${runtimeText(snapshot)}`,
        remedy,
      }),
    ];
  }
  const lacks = `neither the node, ${imageText(snapshot)} nor the config has ${servers.join(' or ')}`;
  return [
    refusal(subject, {
      why: `${why}, and ${lacks}${runtimeText(snapshot)}`,
      remedy,
    }),
  ];
}

/** On Linux, a kubelet speaks to its runtime through a socket only. */
function foreignFindings({ subject, setting, endpoint }: Endpoint): readonly Finding[] {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(endpoint)?.[1];
  if (scheme === undefined || scheme === 'unix' || endpoint.includes('$')) return [];
  const why = `its ${setting} has the scheme ${scheme}, which a kubelet does not accept for its runtime`;
  return [refusal(subject, { why, remedy: 'name a socket, as in unix:///run/containerd/containerd.sock' })];
}

/** Whether the update may bring what creates a file: another OS, a unit beside those that need it, or a file that names it. */
export function mayCreate(
  { to, change, isForced, node }: PreflightSnapshot,
  path: string,
  users: readonly string[] = KUBELET_SERVICES,
): boolean {
  if (node.nextOs !== 'booted' || change.extensions) return true;
  const units = isForced ? (to.ignition.systemd?.units ?? []).map(({ name }) => name) : change.changedUnits;
  if (units.some((name) => !users.includes(name))) return true;
  const socket = path.replace(/^\/var\/run\//, '/run/');
  const own = new Set(users.flatMap((unit) => unitTextPaths(to, unit)));
  return pathsOf(to)
    .filter((one) => !own.has(one) && !/kubelet|kubeadm|k3s/.test(one))
    .some((one) => configText(to, one)?.includes(socket) === true);
}

export function imageText({ node }: PreflightSnapshot): string {
  return node.nextOs === 'known' ? 'the new OS image' : 'its OS';
}

export function runtimeText({ node }: PreflightSnapshot): string {
  return node.runtime === undefined ? '' : ` (this node runs ${node.runtime})`;
}
