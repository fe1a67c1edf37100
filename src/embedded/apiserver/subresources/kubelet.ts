/** The port to the kubelets. */

export type ContainerLogRequest = {
  readonly node: string;
  /** From the status of the Node. */
  readonly host: string;
  readonly port: number;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** The remaining parameters: `follow=true&tailLines=10`. */
  readonly query: string;
  readonly signal?: AbortSignal;
};

export type ContainerLog = {
  readonly status: number;
  readonly contentType: string;
  readonly body: AsyncIterable<Uint8Array>;
};

/** A request for `/api/v1/nodes/NAME/proxy/PATH`. */
export type NodeProxyRequest = {
  readonly node: string;
  readonly host: string;
  readonly port: number;
  readonly method: string;
  /** With its leading slash: `/healthz`. */
  readonly path: string;
  readonly query: string;
  /** Names in lower case, without hop-by-hop headers and credentials. */
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
  /** Rejects with a `Failure` if the node cannot be reached. */
  containerLog(request: ContainerLogRequest): Promise<ContainerLog>;
  /** Any response of the node. Rejects with a `Failure` if it cannot be reached. */
  proxy(request: NodeProxyRequest): Promise<NodeProxyResponse>;
}
