/**
 * Certificates: which requests of kubelets are approved, those of the MachineConfigServer, and the CAs that nodes get.
 *
 *     decideClientCertificate, decideServingCertificate ──> kubelet-request ──> parseCertificateRequest ──> der
 *                └───────────────> the Node: whether it exists, its pool, its addresses
 *     serverCertificates ──> CertificateIssuer ──> x509 ──> der-writer
 *     caBundles ──> ControllerConfig.spec
 *     controllerCertificates ──> ControllerConfig.status
 *
 * A kubelet asks the cluster for two certificates: the one with which it is its node, when it joins and before that expires, and, with
 * `serverTLSBootstrap: true`, that of its own port 10250. Kubernetes has signers for both, and no approver for the second.
 * docs/certificates.md has the rules.
 *
 * Everything is pure but `certificate-issuer-node.ts`, which makes keys and signatures.
 *
 * Not here: signing for kubelets (kube-controller-manager), and the CAs that nodes trust (`config/registries`, `node/plan`).
 *
 * Start with `serving-certificate.ts`.
 */

export {
  CLIENT_CA,
  CLOUD_CONFIG,
  caBundles,
  KUBELET_CLIENT_CA,
  NO_BUNDLE,
  ROOT_CA,
  SERVER_CA_BUNDLE,
  USER_CA_BUNDLE,
} from './ca-bundles.ts';
export type { CertificateIssuer, PemPair } from './certificate-issuer.ts';
export {
  type ApprovedRequest,
  approvedRequest,
  decideClientCertificate,
  KUBELET_CLIENT_SIGNER,
  MAX_WITHOUT_NODE,
} from './client-certificate.ts';
export { controllerCertificates } from './controller-certificates.ts';
export { type Approval, asArgument, requestingNode, type Verdict } from './kubelet-request.ts';
export { type ServerCertificates, serverCertificates } from './server-certificates.ts';
export {
  addressesOf,
  decideServingCertificate,
  KUBELET_SERVING_SIGNER,
} from './serving-certificate.ts';
export { type CertificateUse, type Hosts, hostsExtension, type Name, nameBytes } from './x509.ts';
