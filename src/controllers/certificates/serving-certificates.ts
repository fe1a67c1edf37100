/**
 * Serving certificates: approves requests of kubelets for the certificate of their own port, which Kubernetes leaves to
 * others. `decideServingCertificate` has the rules.
 */
import {
  addressesOf,
  decideServingCertificate,
  KUBELET_SERVING_SIGNER,
  requestingNode,
} from '../../certificates/index.ts';
import type { Cache, Controller } from '../../kubernetes/client/index.ts';
import { nameOf } from '../../kubernetes/meta/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import type { Context } from '../context.ts';
import { createCertificateApprover } from './certificate-approver.ts';

export function createServingCertificateController(
  context: Context,
  apiServerHosts: readonly string[],
): Controller {
  return createCertificateApprover(context, {
    name: 'serving-certificates',
    signerName: KUBELET_SERVING_SIGNER,
    certificate: 'serving certificate',
    leftReason: 'ServingCertificateNotApproved',
    decider:
      ({ nodes, isInPool }) =>
      (csr) => {
        const name = requestingNode(csr);
        const node = nodes.get({ name });
        return decideServingCertificate({
          ...{ csr, node, apiServerHosts },
          isInPool: node !== undefined && isInPool(node),
          otherNodeWith: (address) => otherNodeWith(nodes, name, address),
        });
      },
  });
}

function otherNodeWith(nodes: Cache<Node>, name: string, address: string): string | undefined {
  for (const node of nodes.all()) {
    if (nameOf(node) !== name && addressesOf(node).includes(address)) return nameOf(node);
  }
  return undefined;
}
