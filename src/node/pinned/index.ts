/**
 * Images that a node keeps (PinnedImageSets): which it should have, what is missing, whether it fits, what is pinned and what is
 * reported. Pure.
 *
 *     annotation of the Node, PinnedImageSets ──wantedSets──> sets: name, generation, images
 *                                                               │
 *     images that the container runtime has ────────────────────┼──> pinnedDropIn: what CRI-O must not remove
 *     sizes of the missing ones, free space ──planPulls─────────┼──> what to pull, what cannot be
 *     outcomes of pulls ──setStates─────────────────────────────┴──> complete, pending or failed, for the report
 *
 * A set is complete when all of its images of the present generation are on the node and pinned. An image is pinned where a set
 * names it and the node has it: never one of an earlier generation, and never one that is not completely there.
 *
 * Not here: carrying it out (`node/daemon/pinned-images`), the conditions (`node/report`), and which sets a node has
 * (`rollout/pinned`).
 *
 * Start with `plan-pulls.ts`.
 */
export { DROP_IN_PATH, pinnedDropIn } from './drop-in.ts';
export { allocatableBytes, nodeProblem, pullsAtOnce } from './node-problem.ts';
export { type Inspection, inspectFailure, planPulls, pullFailure, type SetFailure } from './plan-pulls.ts';
export { failedStates, type SetState, setStates } from './set-states.ts';
export { isSameWanted, type WantedSet, wantedImages, wantedSets } from './wanted-sets.ts';
