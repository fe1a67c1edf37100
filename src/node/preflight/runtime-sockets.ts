/**
 * Sockets of container runtimes, and the units that serve them.
 */

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
