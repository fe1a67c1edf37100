/**
 * The loop of an approver: decides on every request of a signer, and again on those that another state of the cluster may allow. A
 * request that is not approved stays as it is; the reason is recorded once, as an event on it.
 */
import { machineConfigPool as machineConfigPoolKind } from '../../api/index.ts';
import { jsonEqual } from '../../base/json.ts';
import { formatTimestamp, parseTimestamp } from '../../base/text/index.ts';
import { type Approval, asArgument, type Verdict } from '../../certificates/index.ts';
import {
  after,
  type Cache,
  type Controller,
  done,
  isConflict,
  isNotFound,
  type Next,
  OwnWrites,
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
/** A kubelet that joins may ask before its Node has addresses, and others approve too; until then nothing is reported. */
const GRACE_MS = 60_000;

type Approver = {
  /** Of the controller. */
  readonly name: string;
  readonly signerName: string;
  /** In messages: `serving certificate`. */
  readonly certificate: string;
  /** The reason of events about requests that are left. */
  readonly leftReason: string;
  /** The decision, given what the cluster has. */
  readonly decider: (sources: Sources) => (csr: CertificateSigningRequest) => Verdict | Promise<Verdict>;
};

export type Sources = {
  /** Of the signer. */
  readonly requests: Cache<CertificateSigningRequest>;
  /** Our approvals, which `requests` may not show yet. */
  readonly own: OwnWrites<CertificateSigningRequest>;
  readonly nodes: Cache<Node>;
  readonly isInPool: (node: Node) => boolean;
};

export function createCertificateApprover(context: Context, approver: Approver): Controller {
  const { caches, env } = context;
  const requests = caches.of(requestKind, { fieldSelector: `spec.signerName=${approver.signerName}` });
  const own = new OwnWrites(requests);
  const nodes = nodesOf(caches);
  const pools = caches.of(machineConfigPoolKind);
  const isInPool = (node: Node) => membershipOf(node, pools.all()).kind === 'member';
  const decide = approver.decider({ requests, own, nodes, isInPool });
  const warnings = new WarningEvents(env.clock);
  /** Requests that another state of a Node, a pool or another request may allow. */
  const waiting = new Set<string>();
  return {
    name: approver.name,
    workers: 1,
    caches: [requests, nodes, pools],
    watch(enqueue) {
      const decideAgain = () => {
        for (const name of waiting) enqueue(name);
      };
      requests.onChange(({ before, after: now }) => {
        enqueue((now ?? before)?.metadata.name ?? '');
        if (now === undefined) decideAgain();
      });
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
      const verdict: Verdict = csr === undefined ? { kind: 'none' } : await decide(csr);
      if (verdict.kind === 'leave' && verdict.mayChange) waiting.add(name);
      else waiting.delete(name);
      if (csr === undefined || verdict.kind !== 'leave') warnings.due(name, []);
      if (csr === undefined || verdict.kind === 'none') {
        own.forget({ name });
        return done;
      }
      if (verdict.kind === 'approve')
        return await approve(context, approver, { csr, own, approval: verdict });
      const nowMs = env.clock.now();
      const youngForMs = verdict.mayChange ? graceLeftMs(csr, nowMs) : 0;
      if (youngForMs === 0) reportLeft(context, approver, { csr, warnings, why: verdict.why });
      const waits = [
        ...(youngForMs === 0 ? [] : [youngForMs]),
        ...(verdict.untilMs === undefined ? [] : [Math.max(0, verdict.untilMs - nowMs)]),
      ];
      return waits.length === 0 ? done : after(Math.min(...waits), verdict.why);
    },
  };
}

/** A creation time of the future, by another clock, does not count. */
function graceLeftMs({ metadata }: CertificateSigningRequest, nowMs: number): number {
  const createdMs = parseTimestamp(metadata.creationTimestamp ?? '') ?? 0;
  return Math.min(GRACE_MS, Math.max(0, createdMs + GRACE_MS - nowMs));
}

type Approved = {
  readonly csr: CertificateSigningRequest;
  readonly own: OwnWrites<CertificateSigningRequest>;
  readonly approval: Approval;
};

/** An update, not a patch: of the request that was decided on, and of no other. */
async function approve(
  { kube, env }: Context,
  { certificate }: Approver,
  { csr, own, approval }: Approved,
): Promise<Next> {
  const { node, hosts, reason, message } = approval;
  const lastUpdateTime = formatTimestamp(env.clock.now());
  const condition = { type: 'Approved', status: 'True', reason, message, lastUpdateTime };
  const approved = { ...csr, status: { ...csr.status, conditions: [condition] } };
  own.markUnconfirmed(csr.metadata);
  try {
    own.record(await kube.update(requestKind, approved, { subresource: 'approval' }));
  } catch (error) {
    // Whoever changed or deleted it, also we ourselves without an answer: the cache will show it.
    if (isConflict(error) || isNotFound(error, nameOf(csr))) return done;
    throw error;
  }
  const about = hosts.length === 0 ? { node } : { node, hosts: hosts.join(', ') };
  env.log.info(`${certificate} approved`, { request: nameOf(csr), ...about });
  return done;
}

type Left = {
  readonly csr: CertificateSigningRequest;
  readonly warnings: WarningEvents;
  readonly why: string;
};

function reportLeft(
  context: Context,
  { certificate, leftReason }: Approver,
  { csr, warnings, why }: Left,
): void {
  const { name, uid } = csr.metadata;
  const message = `The ${certificate} is not approved: ${why}. Should it be right all the same: kubectl certificate approve ${asArgument(name)}`;
  const event = { type: 'Warning', reason: leftReason, message, isAdditional: true } as const;
  const about = { apiVersion: apiVersionOf(requestKind), kind: requestKind.kind, name };
  for (const due of warnings.due(name, [event])) {
    record(context, uid === undefined ? about : { ...about, uid }, due, COMPONENT);
    context.env.log.warn(`${certificate} left for an administrator`, { request: name, why });
  }
}
