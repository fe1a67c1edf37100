/**
 * The list of built-in admission plugins.
 */
import type { Admission } from './admission.ts';
import { admitNode } from './node-admission.ts';
import { admitPod } from './pods/pod-admission.ts';

/** By group resource. Other resources are admitted unchanged. */
export const builtinAdmissionPlugins: ReadonlyMap<string, Admission> = new Map<string, Admission>([
  ['nodes', admitNode],
  ['pods', admitPod],
]);
