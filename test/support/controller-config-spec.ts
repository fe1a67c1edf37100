/** The spec of a ControllerConfig without any data. */
import type { ControllerConfigSpec } from '../../src/api/index.ts';

export const EMPTY_CONTROLLER_CONFIG_SPEC: ControllerConfigSpec = {
  clusterDNSIP: '',
  cloudProviderConfig: '',
  ipFamilies: 'IPv4',
  images: {},
  kubeAPIServerServingCAData: '',
  rootCAData: '',
  cloudProviderCAData: null,
  additionalTrustBundle: null,
  baseOSContainerImage: '',
  releaseImage: '',
  proxy: null,
  network: null,
  dns: null,
  infra: null,
};
