/**
 * Annotations of Deployments and ReplicaSets, which tools such as `kubectl rollout` read.
 */

/** On both: the revision of the template, from 1. */
export const REVISION = 'deployment.kubernetes.io/revision';
/** On a set: earlier revisions of its template, after rollbacks. */
export const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
/** On a set: the replicas of its Deployment when it was last scaled. */
export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
/** On a set: the maximum including surge at that time. */
export const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';
