/**
 * Client certificates: approves requests of kubelets that join for the certificate with which they are a node, and their renewals.
 * `decideClientCertificate` has the rules.
 */
import type { Clock } from '../../base/env.ts';
import {
  type ApprovedRequest,
  approvedRequest,
  decideClientCertificate,
  KUBELET_CLIENT_SIGNER,
  requestingNode,
} from '../../certificates/index.ts';
import type { Controller } from '../../kubernetes/client/index.ts';
import { type CertificateSigningRequest, node as nodeKind } from '../../kubernetes/types/index.ts';
import type { Context } from '../context.ts';
import { createCertificateApprover, type Sources } from './certificate-approver.ts';

export function createClientCertificateController(context: Context): Controller {
  const { kube, env, settings } = context;
  return createCertificateApprover(context, {
    name: 'client-certificates',
    signerName: KUBELET_CLIENT_SIGNER,
    certificate: 'client certificate',
    leftReason: 'ClientCertificateNotApproved',
    decider(sources) {
      const { nodes, isInPool } = sources;
      const { namespace } = settings;
      const approvals = new ApprovedRequests(sources, { namespace, clock: env.clock });
      return async (csr) => {
        const cached = (name: string) => nodes.get({ name });
        const decideOn = (nodeOf: typeof cached) =>
          decideClientCertificate({
            ...{ csr, namespace, nodeOf, isInPool, nowMs: env.clock.now() },
            approved: () => approvals.all(),
          });
        const verdict = decideOn(cached);
        if (verdict.kind !== 'approve' || requestingNode(csr) !== '') return verdict;
        // That a Node does not exist is not to be believed of a cache, which may not show it yet.
        const registered = await kube.get(nodeKind, { name: verdict.node });
        return decideOn((name) => (name === verdict.node ? registered : cached(name)));
      };
    },
  });
}

type ReadOptions = { readonly namespace: string; readonly clock: Pick<Clock, 'now'> };

/** The requests that are approved, or may be: our own approvals count from the moment they are sent. */
class ApprovedRequests {
  readonly #sources: Sources;
  readonly #options: ReadOptions;
  /** Every decision needs all of them: each is read once. */
  readonly #read = new WeakMap<
    CertificateSigningRequest,
    { readonly approved: ApprovedRequest | undefined }
  >();

  constructor(sources: Sources, options: ReadOptions) {
    this.#sources = sources;
    this.#options = options;
  }

  all(): readonly ApprovedRequest[] {
    const found: ApprovedRequest[] = [];
    for (const csr of this.#sources.own.all()) {
      const approved = this.#readOnce(csr) ?? this.#unconfirmed(csr);
      if (approved !== undefined) found.push(approved);
    }
    return found;
  }

  #readOnce(csr: CertificateSigningRequest): ApprovedRequest | undefined {
    const known = this.#read.get(csr);
    if (known !== undefined) return known.approved;
    const approved = approvedRequest(csr, { namespace: this.#options.namespace });
    this.#read.set(csr, { approved });
    return approved;
  }

  /** An approval without an answer. */
  #unconfirmed(csr: CertificateSigningRequest): ApprovedRequest | undefined {
    const { namespace, clock } = this.#options;
    if (!this.#sources.own.isUnconfirmed(csr.metadata)) return undefined;
    return approvedRequest(csr, { namespace, atMs: clock.now() });
  }
}
