/**
 * Certificates of kubelets: which requests are approved.
 *
 *     decideServingCertificate ──> parseCertificateRequest ──> der
 *                └───────────────> the Node: its addresses, its pool
 *
 * A kubelet with `serverTLSBootstrap: true` asks the cluster for the certificate of its own port 10250. Kubernetes has a signer
 * for it and no approver. docs/certificates.md has the rules.
 *
 * Not here: signing (kube-controller-manager), and the CAs that nodes trust (`config/registries`, `node/plan`).
 *
 * Start with `serving-certificate.ts`.
 */
export {
  addressesOf,
  decideServingCertificate,
  KUBELET_SERVING_SIGNER,
  requestingNode,
  type Verdict,
} from './serving-certificate.ts';
