/**
 * `millwright retry`: a node that fails tries again at once; with `--force` any node applies its whole config again.
 *
 * Nothing is asked for that would take more nodes of a pool out of service than the node controller itself would, nor while a person
 * keeps the pool paused.
 */
import { annotations, formatRetryRequest, parseRetryRequest } from '../../api/index.ts';
import { formatProblem } from '../../base/errors.ts';
import { annotationOf, nameOf } from '../../kubernetes/meta/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import { drainState, isManaged, maxUnavailable, selectCandidates, tallyOf } from '../../rollout/index.ts';
import { blockageText, nodesText, oneLine } from '../messages.ts';
import type { NodeSummary } from '../node-summary.ts';
import { elapsed } from '../timestamp.ts';
import { type HandDecision, nameList, refused } from './hand-decision.ts';
import { type NodeView, type PoolView, phaseText } from './pool-view.ts';

type RetryOptions = {
  readonly isForced: boolean;
  /** Differs from that of every earlier request. */
  readonly id: string;
};

export function decideRetryRequest(given: NodeView, { isForced, id }: RetryOptions): HandDecision {
  const { node, membership, view, summary } = given;
  const name = nameOf(node);
  if (view === undefined || summary === undefined) {
    const why = 'message' in membership && membership.message !== undefined ? `: ${membership.message}` : '';
    return refused(`node ${name} is in no pool, so nothing is applied to it${why}`);
  }
  const problem =
    daemonProblem(node) ??
    pauseProblem(view, name) ??
    // Before the others: it names what blocks the drain.
    drainProblem(node, summary) ??
    (isForced ? busyProblem(summary, view) : needProblem(summary, view)) ??
    limitProblem(view, name);
  if (problem !== undefined) return refused(problem);
  const request = formatRetryRequest({ isForced }, id);
  return {
    kind: 'change',
    lines: isForced ? forcedLines(summary) : retryLines(summary, view),
    patch: { metadata: { annotations: { [annotations.retry]: request } } },
    done: isForced ? 'asked to apply its whole config again' : 'asked to try again',
    planned: isForced ? 'would be asked to apply its whole config again' : 'would be asked to try again',
  };
}

/** Whether a request waits for its daemon. */
function isAsked(node: Node): boolean {
  const request = annotationOf(node, annotations.retry) ?? '';
  return parseRetryRequest(request) !== undefined && request !== annotationOf(node, annotations.retried);
}

function daemonProblem(node: Node): string | undefined {
  const name = nameOf(node);
  if (!isManaged(node)) return `no daemon has reported from node ${name} yet: there is nothing to try again`;
  if (!isAsked(node)) return undefined;
  const pods = `kubectl get pods -A -l k8s-app=machine-config-daemon --field-selector spec.nodeName=${name}`;
  return `node ${name} has been asked already (${annotations.retry}), and its daemon has not taken it up yet: look at \`millwright status\`, and at its pod: ${pods}`;
}

function pauseProblem({ pool, summary }: PoolView, name: string): string | undefined {
  const poolName = nameOf(pool);
  if (!summary.isPaused) return undefined;
  return `pool ${poolName} of node ${name} is paused: resume it first (millwright resume ${poolName})`;
}

/** For a retry of what fails. */
function needProblem(summary: NodeSummary, { now, summary: pool }: PoolView): string | undefined {
  const { name, state, failure, current } = summary;
  if (failure !== undefined) return undefined;
  if (state === 'moving')
    return `node ${name} does not fail: it is being updated (${phaseText(summary, now)})`;
  const waits = state === 'waiting' ? `, and waits for its update to ${pool.target}` : '';
  return `node ${name} does not fail: it has ${current}${waits}. To apply its whole config again, with a drain and a reboot: millwright retry ${name} --force`;
}

function busyProblem(summary: NodeSummary, { now }: PoolView): string | undefined {
  const { name, state } = summary;
  if (state !== 'moving') return undefined;
  return `an update of node ${name} is in progress (${phaseText(summary, now)}): wait until it has ended`;
}

/** The drain is the controller's, and another attempt of the daemon would not help it. */
function drainProblem(node: Node, { name, blockage }: NodeSummary): string | undefined {
  const { isPending, request } = drainState(node);
  if (!isPending || request?.verb !== 'drain') return undefined;
  const why = blockage === undefined ? '' : `: ${blockageText(blockage)}`;
  return `node ${name} is being drained${why}; that goes on by itself, and to try again would not help it`;
}

/** As the node controller counts: is there room for this node beside all others? */
function limitProblem({ pool, tally, nodes }: PoolView, name: string): string | undefined {
  const limit = maxUnavailable(pool, tally.counts.machineCount);
  if (limit.kind === 'invalid') return limit.problems.map(formatProblem).join('; ');
  const others = nodes.filter((node) => nameOf(node) !== name);
  const { availability, ...counted } = countedAs(others, tally.target);
  // Those that were asked before this one, and have not begun.
  const asked = others.filter((node) => isAsked(node) && !counted.isOut(node));
  const { capacity, candidates } = selectCandidates(availability, limit.value);
  const room = capacity - candidates.filter(({ part }) => part === 'retryable').length - asked.length;
  if (room > 0) return undefined;
  const out = others.filter((node) => counted.isOut(node) || asked.includes(node));
  const [verb, them] = out.length === 1 ? ['is', 'it'] : ['are', 'them'];
  return `pool ${nameOf(pool)} may have ${nodesText(limit.value)} out of service (maxUnavailable), and ${nameList(out.map(nameOf))} ${verb} unavailable, failing or asked already: wait for ${them}, or raise maxUnavailable. A node that fails tries again by itself within a minute`;
}

function countedAs(nodes: readonly Node[], target: PoolView['tally']['target']) {
  const tally = tallyOf(target, nodes);
  const isOut = (node: Node) => {
    const { isUnavailable = false, part = 'none' } = tally.contribution(nameOf(node)) ?? {};
    return isUnavailable || part === 'failing';
  };
  return { availability: tally.availability, isOut };
}

function retryLines(summary: NodeSummary, { now }: PoolView): readonly string[] {
  const { name, failure, desired, current, cordonedBy } = summary;
  const since = elapsed(failure?.since, now);
  const lasting = since === undefined ? '' : ` for ${since}`;
  const isDrift = desired === current;
  const what = isDrift ? `checks its disk against ${current}` : `tries its update to ${desired}`;
  const cost =
    cordonedBy === 'millwright'
      ? '  it is cordoned for that already, and reboots if the update says so'
      : '  it is drained and reboots if the update says so';
  return [
    `node ${name} ${what} again at once; it fails${lasting}: ${oneLine(failure?.message ?? '')}`,
    isDrift
      ? `  what was changed by hand is not overwritten: millwright retry ${name} --force does that`
      : cost,
    ...unansweredLines(summary),
  ];
}

function forcedLines(summary: NodeSummary): readonly string[] {
  const { name, desired } = summary;
  return [
    `node ${name} is drained, gets all of ${desired} again, whatever is on its disk, and reboots`,
    '  its pods are evicted within their disruption budgets',
    ...unansweredLines(summary),
  ];
}

function unansweredLines({ notReady }: NodeSummary): readonly string[] {
  return notReady === undefined ? [] : ['  it is not Ready: its daemon takes it up once it runs again'];
}
