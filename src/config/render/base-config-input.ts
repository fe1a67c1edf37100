/**
 * What the base MachineConfigs depend on. All of it but the version and the roles may be missing: a plain
 * Kubernetes cluster has no such inputs.
 */
import type { TlsProfile } from './kubelet-tls.ts';

export type BaseConfigInput = {
  /** The spec of a ControllerConfig, as far as there is one. */
  readonly controllerConfig?: {
    readonly clusterDNSIP?: string;
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
    /** An Infrastructure: platform, topology and the address of the API are read from its status. */
    readonly infra?: { readonly [key: string]: unknown } | null;
    readonly platform?: string;
  };
  /** The JSON of the credentials with which nodes pull images. */
  readonly pullSecret?: string;
  readonly tlsProfile?: TlsProfile;
  /** Where nodes reach the API server; absent: what the ControllerConfig says. */
  readonly apiServerUrl?: string;
  /** For the user `core` of every node. */
  readonly sshAuthorizedKeys?: readonly string[];
  /** Who generates: written on what it generates. */
  readonly controllerVersion: string;
  /** Usually master and worker; each must have templates. */
  readonly roles: readonly string[];
};
