/**
 * One pass over the PinnedImageSets of a node: what is there, what is pinned, what is missing; then it is pulled and pinned.
 *
 * First the drop-in gets what is there, so that images of sets that were changed or deleted are released at once; at the end it
 * gets what was pulled. Both from what the container runtime has, never from what was requested.
 */
import { forEachAtOnce } from '../../../base/at-once.ts';
import { Failure } from '../../../base/errors.ts';
import { formatGoDuration } from '../../../base/text/index.ts';
import type { Node } from '../../../kubernetes/types/index.ts';
import {
  allocatableBytes,
  DROP_IN_PATH,
  failedStates,
  type Inspection,
  inspectFailure,
  nodeProblem,
  planPulls,
  pullsAtOnce,
  type SetState,
  setStates,
  type WantedSet,
  wantedImages,
} from '../../pinned/index.ts';
import { pinImages } from './pin-images.ts';
import { type PullContext, pullImages, stopped } from './pull-images.ts';

type Pass = {
  readonly sets: readonly WantedSet[];
  readonly node: Node;
  /** The drop-in is a file of the node's config. */
  readonly isDropInTaken: boolean;
  readonly signal: AbortSignal;
  /** Called with how far the sets are meanwhile. */
  readonly publish: (states: readonly SetState[]) => void;
};

export type PassOutcome = {
  readonly states: readonly SetState[];
  /** Nothing was pulled because of the state of the node, which may be about to change. */
  readonly blocked?: string;
  /** There was no time for everything: the next pass should follow at once. */
  readonly isLate?: boolean;
};

/** Of manifests, and of questions to the runtime. */
const LOOKUPS_AT_ONCE = 5;

export async function runPass(context: PullContext, pass: Pass): Promise<PassOutcome> {
  const { host } = context;
  const { sets, node, signal, publish } = pass;
  const problem = await pinningProblem(context, pass);
  if (problem !== undefined) return { states: failedStates(sets, { error: problem }) };
  if (pass.isDropInTaken) return { states: [] };
  const present = await pinPresent(context, pass);
  const found = setStates({ sets, pinned: present });
  publish(found);
  if (found.every(({ kind }) => kind === 'complete')) return { states: found };
  const blocked = nodeProblem(node);
  if (blocked !== undefined) return { states: found, blocked };
  const missing = wantedImages(sets).filter((image) => !present.has(image));
  const inspections = await inspectAll(context, missing, signal);
  const freeBytes = (await host.images.freeBytes()) ?? allocatableBytes(node);
  const { name } = node.metadata;
  const { pulls, failures } = planPulls({ nodeName: name, sets, present, inspections, freeBytes });
  publish(setStates({ sets, pinned: present, failures }));
  if (pulls.length > 0) context.log.line(`Prefetching ${pulls.length} of ${missing.length} missing images`);
  const timeout = timeoutFailure(context);
  const { failures: pullFailures, isLate } = await pullImages(context, {
    ...{ images: pulls, atOnce: pullsAtOnce(node), signal },
    onLate: () => publish(setStates({ sets, pinned: present, failures, timeout })),
  });
  const pinned = await pinPresent(context, pass);
  const ended = isLate ? { timeout } : { isDone: true };
  return { states: setStates({ sets, pinned, failures, pullFailures, ...ended }), isLate };
}

async function pinningProblem(
  { host }: PullContext,
  { sets, isDropInTaken }: Pass,
): Promise<string | undefined> {
  if (sets.length === 0) return undefined;
  if (isDropInTaken) return `cannot pin images: ${DROP_IN_PATH} is a file of the node's config`;
  return await host.images.pinningProblem();
}

/** The images that the runtime has, which are pinned then. */
async function pinPresent(context: PullContext, { sets, signal }: Pass): Promise<ReadonlySet<string>> {
  const { images } = context.host;
  const present = new Set<string>();
  const all = wantedImages(sets);
  await forEachAtOnce(all, LOOKUPS_AT_ONCE, async (image) => {
    if (await images.isPresent(image, signal)) present.add(image);
  });
  // A pass that was stopped changes nothing any more.
  if (signal.aborted) throw stopped();
  await pinImages(
    context,
    all.filter((image) => present.has(image)),
  );
  return present;
}

async function inspectAll(
  { host, log }: PullContext,
  missing: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Inspection>> {
  const inspections = new Map<string, Inspection>();
  await forEachAtOnce(missing, LOOKUPS_AT_ONCE, async (image) => {
    try {
      inspections.set(image, { kind: 'layers', layers: await host.images.inspect(image, signal) });
    } catch (error) {
      if (!(error instanceof Failure) || error.kind === 'cancelled') throw error;
      const failure = inspectFailure(image, error.message);
      log.warn(`${failure.error}: ${error.message}`);
      inspections.set(image, { kind: 'failed', failure });
    }
  });
  return inspections;
}

function timeoutFailure({ settings }: PullContext) {
  const limit = formatGoDuration(settings.prefetch.limitMs);
  return { error: `requeue: prefetching images incomplete after timeout: ${limit}` };
}
