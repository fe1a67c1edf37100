/**
 * Reports problems of mirror sets, registry settings and signature policies on the objects themselves: as events, and on
 * signature policies also as a condition.
 */
import {
  type ClusterImagePolicy,
  clusterImagePolicy as clusterImagePolicyKind,
  type ImagePolicy,
  imagePolicy as imagePolicyKind,
} from '../api/index.ts';
import { jsonEqual } from '../base/json.ts';
import { formatTimestamp } from '../base/text/index.ts';
import { type Finding, keyOf, referenceTo } from '../config/registries/index.ts';
import type { Cache, ObjectKey, ResourceOf } from '../kubernetes/client/index.ts';
import type { Condition } from '../kubernetes/meta/index.ts';
import type { Context } from './context.ts';
import { record } from './rollout-events.ts';
import { WarningEvents } from './warning-events.ts';

/** Type and status are upstream's: a policy with a problem has the condition `Pending` with status False. */
const PENDING = 'Pending';

export class RegistryWarnings {
  readonly #context: Context;
  readonly #component: string;
  readonly #warnings: WarningEvents;
  /** The objects with problems at the last reconcile. */
  #reported: ReadonlySet<string> = new Set();

  constructor(context: Context, component: string) {
    this.#context = context;
    this.#component = component;
    this.#warnings = new WarningEvents(context.env.clock);
  }

  /** `findings`: all present problems. */
  report(findings: readonly Finding[]): void {
    const present = byObject(findings);
    for (const key of this.#reported) if (!present.has(key)) this.#warnings.due(key, []);
    for (const [key, found] of present) this.#reportOne(key, found);
    this.#reported = new Set(present.keys());
  }

  #reportOne(key: string, findings: readonly Finding[]): void {
    const [first] = findings;
    if (first === undefined) return;
    const events = findings.map(
      ({ reason, message }) => ({ type: 'Warning', reason, message, isAdditional: true }) as const,
    );
    for (const event of this.#warnings.due(key, events)) {
      record(this.#context, first.about, event, this.#component);
    }
  }
}

function byObject(findings: readonly Finding[]): ReadonlyMap<string, readonly Finding[]> {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const key = keyOf(finding.about);
    const group = groups.get(key) ?? [];
    group.push(finding);
    groups.set(key, group);
  }
  return groups;
}

type Policies = {
  readonly clusterImagePolicies: Cache<ClusterImagePolicy>;
  readonly imagePolicies: Cache<ImagePolicy>;
};

export async function writeConditions(
  context: Context,
  findings: readonly Finding[],
  { clusterImagePolicies, imagePolicies }: Policies,
): Promise<void> {
  const found = byObject(findings);
  for (const policy of clusterImagePolicies.all()) {
    await writeCondition(context, clusterImagePolicyKind, { policy, found });
  }
  for (const policy of imagePolicies.all()) {
    await writeCondition(context, imagePolicyKind, { policy, found });
  }
}

type Policy = ClusterImagePolicy;
type PolicyFindings = { readonly policy: Policy; readonly found: ReadonlyMap<string, readonly Finding[]> };

async function writeCondition(
  { kube, env }: Context,
  kind: ResourceOf<Policy>,
  { policy, found }: PolicyFindings,
): Promise<void> {
  const { name, namespace, uid, resourceVersion } = policy.metadata;
  const findings = found.get(keyOf(referenceTo(kind, policy.metadata))) ?? [];
  const present = policy.status?.conditions ?? [];
  const now = formatTimestamp(env.clock.now());
  const wanted = conditionsAfter(present, findings, now);
  if (jsonEqual(wanted, present)) return;
  const place: ObjectKey = namespace === undefined ? { name } : { name, namespace };
  // An empty list of conditions is invalid: the field is removed instead.
  const body = {
    metadata: { uid, resourceVersion },
    status: { conditions: wanted.length === 0 ? null : wanted },
  };
  await kube.patch(kind, place, { type: 'merge', body }, { subresource: 'status' });
}

/** The limit of the server. */
const MAX_MESSAGE_CHARS = 32_768;

function textOf(findings: readonly Finding[]): string {
  return findings
    .map(({ message }) => message)
    .join('; ')
    .slice(0, MAX_MESSAGE_CHARS);
}

/** Other conditions stay. The time moves only with the status. */
function conditionsAfter(
  present: readonly Condition[],
  findings: readonly Finding[],
  now: string,
): readonly Condition[] {
  const others = present.filter(({ type }) => type !== PENDING);
  const [first] = findings;
  if (first === undefined) return others;
  const before = present.find(({ type }) => type === PENDING);
  const lastTransitionTime = before?.status === 'False' ? before.lastTransitionTime : now;
  const { reason } = first;
  return [
    ...others,
    { type: PENDING, status: 'False', reason, message: textOf(findings), lastTransitionTime },
  ];
}
