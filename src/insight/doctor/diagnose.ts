/**
 * The diagnosis of a cluster, or of one pool, node or build of it: what blocks first, and what else was seen.
 *
 *     const { top, others, isBlocked } = diagnose(snapshot, { namespace, subject: { kind: 'pool', name: 'worker' } })
 *
 * Findings are ordered by stage, then by rule, then by name. Findings of one pool with the same code are one, with the others by name.
 */
import { compareBytes } from '../../base/json.ts';
import type { LeaderLeases } from '../absent-components.ts';
import type { ClusterSnapshot } from '../snapshot/cluster-snapshot.ts';
import { type Facts, factsOf } from './facts.ts';
import { type Finding, type ObjectName, STAGES } from './finding.ts';
import { groupedBy } from './grouped-by.ts';
import { inOneLine } from './prose.ts';
import type { Need } from './rule.ts';
import { RULES } from './rules.ts';

export type Subject = { readonly kind: 'pool' | 'node' | 'build'; readonly name: string };

type DiagnoseOptions = {
  /** Of the components. */
  readonly namespace: string;
  /** By default the whole cluster. */
  readonly subject?: Subject | undefined;
  /** Of the components, where they are not in the snapshot. */
  readonly leaders?: LeaderLeases | undefined;
};

export type Diagnosis = {
  /** The time of the snapshot, RFC 3339. */
  readonly now: string;
  readonly subject?: Subject;
  readonly isBlocked: boolean;
  /** What blocks first; absent where nothing does. */
  readonly top?: Finding;
  readonly others: readonly Finding[];
};

export function diagnose(snapshot: ClusterSnapshot, options: DiagnoseOptions): Diagnosis {
  const { namespace, subject, leaders } = options;
  const facts = factsOf(snapshot, namespace, leaders);
  const found = RULES.flatMap((rule) =>
    rule.find(facts).map(
      (one): Finding => ({
        ...one,
        stage: one.stage ?? rule.stage,
        severity: one.severity ?? rule.severity ?? 'blocks',
        cause: inOneLine(one.cause),
        evidence: one.evidence.map((evidence) => ({ ...evidence, value: inOneLine(evidence.value) })),
      }),
    ),
  );
  const relevant = subject === undefined ? found : found.filter((one) => concerns(one, subject, facts));
  const [first, ...rest] = merged(inOrder(relevant, subject));
  const isBlocked = first?.severity === 'blocks';
  return {
    now: facts.now,
    ...(subject === undefined ? {} : { subject }),
    isBlocked,
    ...(isBlocked && { top: first }),
    others: isBlocked || first === undefined ? rest : [first, ...rest],
  };
}

/** What rules would look at in addition, given what was read so far. Without duplicates. */
export function furtherNeeds(snapshot: ClusterSnapshot, namespace: string): readonly Need[] {
  const facts = factsOf(snapshot, namespace);
  const needs = RULES.flatMap((rule) => rule.needs?.(facts) ?? []);
  const keyOf = ({ kind, namespace = '', labelSelector = '', fieldSelector = '' }: Need) =>
    [kind.group, kind.kind, namespace, labelSelector, fieldSelector].join('\n');
  return [...new Map(needs.map((need) => [keyOf(need), need])).values()];
}

/** Blocking ones first, by stage; of one stage those about the subject itself. Rules come in their order, names sorted. */
function inOrder(findings: readonly Finding[], subject: Subject | undefined): readonly Finding[] {
  const rank = ({ severity, stage, about }: Finding) => [
    severity === 'blocks' ? 0 : 1,
    STAGES.indexOf(stage),
    subject === undefined || about.name === subject.name ? 0 : 1,
  ];
  return findings.toSorted((a, b) => {
    const [left, right] = [rank(a), rank(b)];
    const at = left.findIndex((value, index) => value !== right[index]);
    return at < 0 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
  });
}

function merged(findings: readonly Finding[]): readonly Finding[] {
  const groups = groupedBy(findings, ({ code, stage, pools }) => [code, stage, ...pools].join('\n'));
  return [...groups.values()].flatMap(([first, ...same]): readonly Finding[] => {
    if (first === undefined) return [];
    const also = new Map(same.map(({ about }) => [keyOf(about), about]));
    also.delete(keyOf(first.about));
    if (also.size === 0) return [first];
    return [{ ...first, also: [...also].toSorted(([a], [b]) => compareBytes(a, b)).map(([, one]) => one) }];
  });
}

function keyOf({ kind, namespace = '', name }: ObjectName): string {
  return `${kind}/${namespace}/${name}`;
}

/** What stops the whole cluster or a pool stops each of its nodes; other nodes matter to one that waits for them. */
function concerns(finding: Finding, subject: Subject, { nodes }: Facts): boolean {
  const { about, pools } = finding;
  if (finding.stage === 'cluster') return true;
  if (subject.kind === 'build') return isAboutBuild(finding, subject.name);
  if (subject.kind === 'pool') return pools.includes(subject.name) || isPool(about, subject.name);
  const node = nodes.find(({ name }) => name === subject.name);
  if (about.kind === 'Node') {
    if (about.name === subject.name) return true;
    return node?.summary?.state === 'waiting' && pools.includes(node.pool);
  }
  return node !== undefined && pools.includes(node.pool);
}

function isPool({ kind, name }: ObjectName, pool: string): boolean {
  return kind === 'MachineConfigPool' && name === pool;
}

/** A build, or the MachineOSConfig that it is of. */
function isAboutBuild({ stage, about, evidence }: Finding, name: string): boolean {
  if (stage !== 'build') return false;
  return about.name === name || evidence.some(({ object }) => object.name === name);
}
