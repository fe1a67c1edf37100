/**
 * What is wrong with the objects that registries are made of is said on the objects themselves: as events, and on
 * signature policies, which have conditions, as one of those.
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
import type { Cache, Place, ResourceOf } from '../kubernetes/client/index.ts';
import type { Condition } from '../kubernetes/meta/index.ts';
import { Complaints } from './complaints.ts';
import type { Context } from './context.ts';

const COMPONENT = 'machineconfigcontroller-containerruntimeconfigcontroller';
/** The type and the status are upstream's: that the policy waits for something is what is False. */
const PENDING = 'Pending';

export class RegistryComplaints {
  readonly #context: Context;
  readonly #complaints: Complaints;
  /** Of whom something was said last time. */
  #said: ReadonlySet<string> = new Set();

  constructor(context: Context) {
    this.#context = context;
    this.#complaints = new Complaints(context.env.clock);
  }

  /** Given all that is wrong now. */
  tell(findings: readonly Finding[]): void {
    const told = byObject(findings);
    for (const key of this.#said) if (!told.has(key)) this.#complaints.news(key, []);
    for (const [key, found] of told) this.#tellOf(key, found);
    this.#said = new Set(told.keys());
  }

  #tellOf(key: string, findings: readonly Finding[]): void {
    const [first] = findings;
    if (first === undefined) return;
    const events = findings.map(({ reason, message }) => ({ type: 'Warning', reason, message }) as const);
    const recorder = this.#context.eventsOf(COMPONENT);
    for (const { reason, message } of this.#complaints.news(key, events)) {
      recorder.warning(first.about, reason, message);
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
type Judged = { readonly policy: Policy; readonly found: ReadonlyMap<string, readonly Finding[]> };

async function writeCondition(
  { kube, env }: Context,
  kind: ResourceOf<Policy>,
  { policy, found }: Judged,
): Promise<void> {
  const { name, namespace, uid, resourceVersion } = policy.metadata;
  const findings = found.get(keyOf(referenceTo(kind, policy.metadata))) ?? [];
  const present = policy.status?.conditions ?? [];
  const now = formatTimestamp(env.clock.now());
  const wanted = conditionsAfter(present, findings, now);
  if (jsonEqual(wanted, present)) return;
  const place: Place = namespace === undefined ? { name } : { name, namespace };
  // A list of conditions may not be empty: where there is none, there is no list.
  const body = {
    metadata: { uid, resourceVersion },
    status: { conditions: wanted.length === 0 ? null : wanted },
  };
  await kube.patch(kind, place, { type: 'merge', body }, { subresource: 'status' });
}

/** The server takes no longer one. */
const MAX_MESSAGE_CHARS = 32_768;

function textOf(findings: readonly Finding[]): string {
  return findings
    .map(({ message }) => message)
    .join('; ')
    .slice(0, MAX_MESSAGE_CHARS);
}

/** Other conditions stay. The time moves with the status alone. */
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
