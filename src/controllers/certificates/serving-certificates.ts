/**
 * Serving certificates: approves requests of kubelets for the certificate of their own port, which Kubernetes leaves to
 * others. `decideServingCertificate` has the rules. A request that is not approved stays as it is; the reason is recorded once,
 * as an event on it.
 */

import { machineConfigPool as machineConfigPoolKind } from '../../api/index.ts';
import { jsonEqual } from '../../base/json.ts';
import { formatTimestamp, parseTimestamp } from '../../base/text/index.ts';
import {
  addressesOf,
  decideServingCertificate,
  KUBELET_SERVING_SIGNER,
  requestingNode,
  type Verdict,
} from '../../certificates/index.ts';
import {
  after,
  type Cache,
  type Controller,
  done,
  isConflict,
  isNotFound,
  type Next,
} from '../../kubernetes/client/index.ts';
import { apiVersionOf, nameOf } from '../../kubernetes/meta/index.ts';
import {
  type CertificateSigningRequest,
  type Node,
  certificateSigningRequest as requestKind,
} from '../../kubernetes/types/index.ts';
import { membershipOf } from '../../rollout/index.ts';
import type { Context } from '../context.ts';
import { nodesOf } from '../node-cache.ts';
import { record } from '../rollout-events.ts';
import { WarningEvents } from '../warning-events.ts';

const COMPONENT = 'machine-config-controller';
const LEFT = 'ServingCertificateNotApproved';
/** A kubelet that joins may ask before its Node has addresses; until then nothing is reported. */
const GRACE_MS = 60_000;

type Sources = { readonly requests: Cache<CertificateSigningRequest>; readonly nodes: Cache<Node> };

export function createServingCertificateController(
  context: Context,
  apiServerHosts: readonly string[],
): Controller {
  const { caches, env } = context;
  const fieldSelector = `spec.signerName=${KUBELET_SERVING_SIGNER}`;
  const requests = caches.of(requestKind, { fieldSelector });
  const nodes = nodesOf(caches);
  const pools = caches.of(machineConfigPoolKind);
  const warnings = new WarningEvents(env.clock);
  /** Requests that another state of a Node or pool may allow. */
  const waiting = new Set<string>();
  return {
    name: 'serving-certificates',
    workers: 1,
    caches: [requests, nodes, pools],
    watch(enqueue) {
      const decideAgain = () => {
        for (const name of waiting) enqueue(name);
      };
      requests.onChange(({ before, after: now }) => enqueue((now ?? before)?.metadata.name ?? ''));
      nodes.onChange(({ before, after: now }) => {
        const isSame =
          jsonEqual(before?.status?.addresses, now?.status?.addresses) &&
          jsonEqual(before?.metadata.labels, now?.metadata.labels);
        if (!isSame || before === undefined || now === undefined) decideAgain();
      });
      pools.onChange(({ before, after: now }) => {
        if (!jsonEqual(before?.spec.nodeSelector, now?.spec.nodeSelector)) decideAgain();
      });
    },
    async reconcile(name) {
      const csr = requests.get({ name });
      const node = csr && nodes.get({ name: requestingNode(csr) });
      const verdict: Verdict =
        csr === undefined
          ? { kind: 'none' }
          : decideServingCertificate({
              ...{ csr, node, apiServerHosts },
              isInPool: node !== undefined && membershipOf(node, pools.all()).kind === 'member',
              otherNodeWith: (address) => otherNodeWith(nodes, requestingNode(csr), address),
            });
      if (verdict.kind === 'leave' && verdict.mayChange) waiting.add(name);
      else waiting.delete(name);
      if (csr === undefined || verdict.kind !== 'leave') warnings.due(name, []);
      if (csr === undefined || verdict.kind === 'none') return done;
      if (verdict.kind === 'approve') return await approve(context, csr, verdict.hosts);
      const youngForMs = verdict.mayChange ? graceLeftMs(csr, env.clock.now()) : 0;
      if (youngForMs > 0) return after(youngForMs, verdict.why);
      reportLeft(context, warnings, { csr, why: verdict.why });
      return done;
    },
  };
}

function otherNodeWith(nodes: Sources['nodes'], name: string, address: string): string | undefined {
  for (const node of nodes.all()) {
    if (nameOf(node) !== name && addressesOf(node).includes(address)) return nameOf(node);
  }
  return undefined;
}

/** A creation time of the future, by another clock, does not count. */
function graceLeftMs({ metadata }: CertificateSigningRequest, nowMs: number): number {
  const createdMs = parseTimestamp(metadata.creationTimestamp ?? '') ?? 0;
  return Math.min(GRACE_MS, Math.max(0, createdMs + GRACE_MS - nowMs));
}

/** An update, not a patch: of the request that was decided on, and of no other. */
async function approve(
  { kube, env }: Context,
  csr: CertificateSigningRequest,
  hosts: readonly string[],
): Promise<Next> {
  const node = requestingNode(csr);
  const condition = {
    type: 'Approved',
    status: 'True',
    reason: 'KubeletServingCertificate',
    message: `The request is of the kubelet of Node ${node}, for addresses of this Node alone.`,
    lastUpdateTime: formatTimestamp(env.clock.now()),
  };
  const approved = { ...csr, status: { ...csr.status, conditions: [condition] } };
  try {
    await kube.update(requestKind, approved, { subresource: 'approval' });
  } catch (error) {
    // Whoever changed or deleted it: the cache will show it.
    if (isConflict(error) || isNotFound(error, nameOf(csr))) return done;
    throw error;
  }
  env.log.info('serving certificate approved', { request: nameOf(csr), node, hosts: hosts.join(', ') });
  return done;
}

function reportLeft(
  context: Context,
  warnings: WarningEvents,
  { csr, why }: { readonly csr: CertificateSigningRequest; readonly why: string },
): void {
  const { name, uid } = csr.metadata;
  const message = `The serving certificate is not approved: ${why}. Should it be right all the same: kubectl certificate approve ${name}`;
  const event = { type: 'Warning', reason: LEFT, message, isAdditional: true } as const;
  const about = { apiVersion: apiVersionOf(requestKind), kind: requestKind.kind, name };
  for (const due of warnings.due(name, [event])) {
    record(context, uid === undefined ? about : { ...about, uid }, due, COMPONENT);
    context.env.log.warn('serving certificate left for an administrator', { request: name, why });
  }
}
