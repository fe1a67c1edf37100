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

/** What somebody asks of a node by way of the server: `/api/v1/nodes/NAME/proxy/PATH`. */
export type NodeProxyRequest = {
  readonly node: string;
  readonly host: string;
  readonly port: number;
  readonly method: string;
  /** With its slash: `/healthz`. */
  readonly path: string;
  readonly query: string;
  /** Names in lower case, without those that are about the connection or prove who asks. */
  readonly headers: { readonly [name: string]: string };
  readonly body: Uint8Array;
  readonly signal?: AbortSignal;
};

export type NodeProxyResponse = {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: AsyncIterable<Uint8Array>;
};

export interface Kubelet {
  /** Rejects with a `Failure` where the node does not answer. */
  containerLog(request: ContainerLogRequest): Promise<ContainerLog>;
  /** Whatever the node answers. Rejects with a `Failure` where it does not. */
  proxy(request: NodeProxyRequest): Promise<NodeProxyResponse>;
}
