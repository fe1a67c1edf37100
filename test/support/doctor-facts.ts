/** Objects of a cluster, looked at by one rule of the doctor. */
import { NAMESPACE } from '../../src/api/index.ts';
import { factsOf } from '../../src/insight/doctor/facts.ts';
import type { Found } from '../../src/insight/doctor/finding.ts';
import type { Need, Rule } from '../../src/insight/doctor/rule.ts';
import { clusterSnapshot, type SnapshotObject } from '../../src/insight/snapshot/cluster-snapshot.ts';
import type { Fleet } from './a-fleet.ts';

export const NOW = '2026-01-02T12:00:00Z';
export const NOW_MS = Date.parse(NOW);

/** A moment before now. */
export function ago(seconds: number): string {
  return new Date(NOW_MS - seconds * 1000).toISOString().replace('.000Z', 'Z');
}

type Looking = { readonly nowMs?: number; readonly kinds?: readonly string[] };

function factsAbout(objects: readonly object[], { nowMs = NOW_MS, kinds = [] }: Looking) {
  // Objects of tests have what they need.
  return factsOf(clusterSnapshot({ nowMs, objects: objects as readonly SnapshotObject[], kinds }), NAMESPACE);
}

/** What the rule finds. */
export function found(rule: Rule, objects: readonly object[], looking: Looking = {}): readonly Found[] {
  return rule.find(factsAbout(objects, looking));
}

export function foundIn(rule: Rule, fleet: Fleet, ...more: readonly object[]): readonly Found[] {
  return found(rule, [...fleet.objects(), ...more], { nowMs: fleet.nowMs });
}

/** `CODE: the cause`. */
export function texts(findings: readonly Found[]): readonly string[] {
  return findings.map(({ code, cause }) => `${code}: ${cause}`);
}

/** What it would look at, given these objects. */
export function needs(rule: Rule, objects: readonly object[], looking: Looking = {}): readonly Need[] {
  return rule.needs?.(factsAbout(objects, looking)) ?? [];
}

/** An object of any kind. */
export function anObject(kind: string, name: string, rest: object = {}, metadata: object = {}): object {
  const groups: { readonly [kind: string]: string } = {
    ...{ Lease: 'coordination.k8s.io/v1', Deployment: 'apps/v1', DaemonSet: 'apps/v1', Job: 'batch/v1' },
    ...{ PodDisruptionBudget: 'policy/v1', ClusterOperator: 'config.openshift.io/v1' },
    CertificateSigningRequest: 'certificates.k8s.io/v1',
  };
  const builtIn = ['Pod', 'Node', 'Event', 'Namespace', 'ConfigMap', 'Secret'].includes(kind)
    ? 'v1'
    : undefined;
  const apiVersion = groups[kind] ?? builtIn ?? 'machineconfiguration.openshift.io/v1';
  return { apiVersion, kind, metadata: { name, ...metadata }, ...rest };
}

export function aCondition(type: string, status: string, message = '', since = ago(3600), reason = '') {
  return { type, status, reason, message, lastTransitionTime: since };
}
