/**
 * How the API server reaches the nodes of this process: logs of containers, and what is asked of a node by `nodes/proxy`.
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

/** What it needs, which is there only once the server runs that asks it. */
type KubeletParts = {
  readonly logs: ContainerLogs;
  readonly routes: NodeRoutes;
  readonly pod: (place: { readonly namespace: string; readonly name: string }) => Pod | undefined;
  readonly isUp: (node: string) => boolean;
};

export class EmbeddedKubelet implements Kubelet {
  #parts: KubeletParts | undefined;

  connect(parts: KubeletParts): void {
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

  #partsFor({ node }: { readonly node: string }): KubeletParts {
    if (this.#parts?.isUp(node) === true) return this.#parts;
    throw new Failure('transient', 'NodeUnreachable', `node ${node} is down`);
  }
}

/** As the status of the pod says it. */
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
