/** The serving certificate of a kubelet that nobody has approved: `kubectl logs` and `exec` fail on its node. */
import { stringAt } from '../../../base/json-fields.ts';
import { KUBELET_SERVING_SIGNER, requestingNode } from '../../../certificates/index.ts';
import { conditionsOf, nameOf } from '../../../kubernetes/meta/index.ts';
import {
  type CertificateSigningRequest,
  event as eventKind,
  certificateSigningRequest as requestKind,
} from '../../../kubernetes/types/index.ts';
import type { Facts } from '../facts.ts';
import type { Found } from '../finding.ts';
import { isOver, LIMITS } from '../limits.ts';
import type { Rule } from '../rule.ts';
import { shell } from '../shell.ts';

export const servingCertificate: Rule = {
  codes: ['ServingCertificatePending'],
  stage: 'other',
  needs: (facts) =>
    pending(facts)
      // One is enough to show why.
      .slice(0, 1)
      .map((request) => ({
        kind: eventKind,
        namespace: 'default',
        fieldSelector: `involvedObject.kind=${requestKind.kind},involvedObject.name=${nameOf(request)}`,
      })),
  find: (facts) => newestOfEach(pending(facts)).map((request) => findingOf(facts, request)),
};

function pending({ snapshot, nowMs }: Facts): readonly CertificateSigningRequest[] {
  return snapshot.all(requestKind).filter((request) => {
    const isDecided = conditionsOf(request).length > 0 || stringAt(request, 'status', 'certificate') !== '';
    const isOfKubelet = stringAt(request, 'spec', 'signerName') === KUBELET_SERVING_SIGNER;
    return (
      isOfKubelet &&
      !isDecided &&
      isOver(stringAt(request, 'metadata', 'creationTimestamp'), LIMITS.restartMs, nowMs)
    );
  });
}

/** A kubelet asks again every few minutes. */
function newestOfEach(requests: readonly CertificateSigningRequest[]): readonly CertificateSigningRequest[] {
  const byTime = requests.toSorted((a, b) => {
    const [left, right] = [a, b].map((one) => stringAt(one, 'metadata', 'creationTimestamp'));
    return (left ?? '') < (right ?? '') ? -1 : 1;
  });
  return [...new Map(byTime.map((request) => [stringAt(request, 'spec', 'username'), request])).values()];
}

function findingOf({ snapshot }: Facts, request: CertificateSigningRequest): Found {
  const name = nameOf(request);
  const node = nodeOf(request);
  const event = snapshot
    .all(eventKind)
    .findLast(
      (one) =>
        stringAt(one, 'involvedObject', 'name') === name && one.reason === 'ServingCertificateNotApproved',
    );
  const why = /not approved: (.*?)\. Should it be right/.exec(stringAt(event, 'message'))?.[1];
  const created = stringAt(request, 'metadata', 'creationTimestamp');
  const about = { kind: requestKind.kind, name };
  return {
    code: 'ServingCertificatePending',
    cause: `the serving certificate of the kubelet of ${node} is not approved${why === undefined ? '' : `: ${why}`}`,
    about,
    pools: [],
    since: created,
    evidence: [
      { object: about, field: 'status.conditions', value: 'none', since: created },
      { object: about, field: 'spec.username', value: stringAt(request, 'spec', 'username') },
    ],
    next: [
      { command: shell`kubectl describe csr ${name}`, why: 'who asks for which names' },
      { command: shell`kubectl certificate approve ${name}`, why: 'only if they are right' },
    ],
  };
}

function nodeOf(request: CertificateSigningRequest): string {
  // The spec of one from a dump may be missing.
  const node = request.spec === undefined ? '' : requestingNode(request);
  return node === '' ? 'an unknown node' : `node ${node}`;
}
