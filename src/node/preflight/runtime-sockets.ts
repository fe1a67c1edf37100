/**
 * Sockets of container runtimes, and the units that serve them.
 */
import { type Finding, type PreflightSnapshot, refusal, warning } from './check.ts';
import { unitPresence } from './unit-presence.ts';

/** The flag of the kubelet in a command line; undefined where it has none, or takes it from a variable. */
export function runtimeEndpoint(commandLine: string): string | undefined {
  const value = /--container-runtime-endpoint[= ]\s*(?:"([^"]*)"|'([^']*)'|(\S+))/.exec(commandLine);
  const endpoint = value?.[1] ?? value?.[2] ?? value?.[3];
  return endpoint === undefined || endpoint.includes('$') ? undefined : endpoint;
}

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
  if (path === undefined) return [];
  const isThere = node.paths.get(path);
  if (isThere === undefined || (isThere && node.nextOs !== 'known')) return [];
  const servers = serversOf(endpoint);
  const presences = servers.map((unit) => unitPresence(snapshot, unit));
  if (presences.some((one) => one === 'present' || one === 'unknown')) return [];
  const why = `its ${setting} is ${path}, which does not exist on the node`;
  if (servers.length === 0) return isThere ? [] : [warning(subject, { why })];
  const lacks = `neither the node, ${imageText(snapshot)} nor the config has ${servers.join(' or ')}`;
  return [
    refusal(subject, {
      why: `${why}, and ${lacks}${runtimeText(snapshot)}`,
      remedy: 'name the socket of the runtime that the node has',
    }),
  ];
}

export function imageText({ node }: PreflightSnapshot): string {
  return node.nextOs === 'known' ? 'the new OS image' : 'its OS';
}

export function runtimeText({ node }: PreflightSnapshot): string {
  return node.runtime === undefined ? '' : ` (this node runs ${node.runtime})`;
}
