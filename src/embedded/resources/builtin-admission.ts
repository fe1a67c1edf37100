/**
 * Which resources the server looks at once more when it knows the rest of the cluster.
 */
import type { Admission } from './admission.ts';
import { admitNode } from './node-admission.ts';
import { admitPod } from './pods/pod-admission.ts';

/** By resource, as rules are filed. Resources that are not named are taken as they are. */
export const builtinAdmissionPlugins: ReadonlyMap<string, Admission> = new Map<string, Admission>([
  ['nodes', admitNode],
  ['pods', admitPod],
]);
