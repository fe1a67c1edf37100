/**
 * The port to the nodes: what only they know, such as the logs of containers.
 */

export type ContainerLogRequest = {
  readonly node: string;
  /** Where the node says that it can be reached. */
  readonly host: string;
  readonly port: number;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** What was asked for beside it: `follow=true&tailLines=10`. */
  readonly query: string;
  readonly signal?: AbortSignal;
};

export type ContainerLog = {
  readonly status: number;
  readonly contentType: string;
  readonly body: AsyncIterable<Uint8Array>;
};

export interface Kubelet {
  /** Rejects with a `Failure` where the node does not answer. */
  containerLog(request: ContainerLogRequest): Promise<ContainerLog>;
}
