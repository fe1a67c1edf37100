/**
 * The inputs of the base MachineConfigs. All but the version and the roles are optional: a plain Kubernetes cluster
 * has none of them.
 */
import type { TlsProfile } from './kubelet-tls.ts';

export type BaseConfigInput = {
  /** The spec of the ControllerConfig, if there is one. */
  readonly controllerConfig?: {
    readonly clusterDNSIP?: string;
    /** The DNS object: its status holds the domain of the cluster, if that is not the usual one. */
    readonly dns?: { readonly [key: string]: unknown } | null;
    readonly ipFamilies?: string;
    readonly proxy?: {
      readonly httpProxy?: string;
      readonly httpsProxy?: string;
      readonly noProxy?: string;
    } | null;
    /** Base64 of PEM. */
    readonly additionalTrustBundle?: string | null;
    readonly cloudProviderConfig?: string;
    readonly images?: { readonly [name: string]: string };
    /** The Infrastructure object: its status holds platform, topology and the API server URL. */
    readonly infra?: { readonly [key: string]: unknown } | null;
    readonly platform?: string;
  };
  /** The pull secret of the nodes, as JSON. */
  readonly pullSecret?: string;
  readonly tlsProfile?: TlsProfile;
  /** The API server URL for nodes; defaults to the one in the ControllerConfig. */
  readonly apiServerUrl?: string;
  /** SSH keys of the user `core` on every node. */
  readonly sshAuthorizedKeys?: readonly string[];
  /** The generating version, which is recorded on the generated objects. */
  readonly controllerVersion: string;
  /** Usually master and worker; each needs templates. */
  readonly roles: readonly string[];
};
