/**
 * What a Deployment and its ReplicaSets say of each other in annotations. Tools such as `kubectl rollout` read them.
 */

/** Of both: the number of the template, counted from 1. */
export const REVISION = 'deployment.kubernetes.io/revision';
/** Of a set: the numbers that its template had before, where it came back. */
export const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
/** Of a set: how many pods its Deployment wanted when the set was given its size. */
export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
/** Of a set: how many there could be at once then. */
export const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';
