/**
 * The API server's access to the nodes of this process: container logs and `nodes/proxy`.
 */

import { Failure } from '../../base/errors.ts';
import type { Pod } from '../../kubernetes/types/index.ts';
import type {
  ContainerLog,
  ContainerLogRequest,
  Kubelet,
  NodeProxyRequest,
  NodeProxyResponse,
} from '../apiserver/index.ts';
import type { ContainerLogs, ContainerState } from './container-logs.ts';
import type { NodeRoutes } from './node-routes.ts';

/** Connected only once the API server runs, which needs the kubelet first. */
type KubeletDependencies = {
  readonly logs: ContainerLogs;
  readonly routes: NodeRoutes;
  readonly pod: (reference: { readonly namespace: string; readonly name: string }) => Pod | undefined;
  readonly isUp: (node: string) => boolean;
};

export class EmbeddedKubelet implements Kubelet {
  #parts: KubeletDependencies | undefined;

  connect(parts: KubeletDependencies): void {
    this.#parts = parts;
  }

  async containerLog(request: ContainerLogRequest): Promise<ContainerLog> {
    const { logs, pod } = this.#partsFor(request);
    return await logs.read(request, (namespace, name, container) =>
      containerState(pod({ namespace, name }), container),
    );
  }

  async proxy(request: NodeProxyRequest): Promise<NodeProxyResponse> {
    return await this.#partsFor(request).routes(request);
  }

  #partsFor({ node }: { readonly node: string }): KubeletDependencies {
    if (this.#parts?.isUp(node) === true) return this.#parts;
    throw new Failure('transient', 'NodeUnreachable', `node ${node} is down`);
  }
}

/** From the status of the pod. */
function containerState(pod: Pod | undefined, name: string): ContainerState {
  const { containerStatuses = [], initContainerStatuses = [] } = pod?.status ?? {};
  const found = [...containerStatuses, ...initContainerStatuses].find((one) => one.name === name);
  if (pod === undefined || found === undefined) return { kind: 'missing' };
  const { state, lastState, restartCount } = found;
  const podUid = pod.metadata.uid ?? '';
  if (state?.running !== undefined) return { kind: 'running', podUid, restartCount };
  if (state?.terminated !== undefined || lastState?.terminated !== undefined) {
    return { kind: 'ended', podUid, restartCount };
  }
  return { kind: 'waiting', reason: state?.waiting?.reason ?? 'ContainerCreating' };
}
