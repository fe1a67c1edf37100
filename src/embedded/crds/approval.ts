/**
 * The API approval policy: CRDs in groups of the Kubernetes community (`*.k8s.io`, `*.kubernetes.io`) need an
 * annotation with the URL of their approval, or one that marks them as unapproved.
 */
import type { Problem } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { parseUrl, quoted } from '../../base/text/index.ts';
import { invalidText, required } from '../resources/index.ts';
import { withCondition } from './conditions.ts';
import { type Crd, conditionOf, crdToObject, toCrd } from './crd.ts';

const ANNOTATION = 'api-approved.kubernetes.io';
const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111';
const NEEDED = `protected groups must have approval annotation ${quoted(ANNOTATION)}`;

type Approval = {
  readonly state: 'Missing' | 'Unapproved' | 'Approved' | 'Invalid';
  /** The value of the annotation. */
  readonly text: string;
  readonly message: string;
};

/** An invalid annotation may stay if its state does not change. */
export function approvalProblems(crd: Crd, old: Crd | undefined): readonly Problem[] {
  const approval = approvalOf(crd);
  if (approval === undefined || (old !== undefined && approvalOf(old)?.state === approval.state)) return [];
  const path = `metadata.annotations[${ANNOTATION}]`;
  if (approval.state === 'Missing') return [required(path, approval.message)];
  return approval.state === 'Invalid' ? [invalidText(path, approval.text, approval.message)] : [];
}

/** The CRD with its approval condition; undefined if nothing changes. */
export function withApprovalCondition(object: JsonObject, now: string): JsonObject | undefined {
  const crd = toCrd(object);
  const approval = approvalOf(crd);
  if (approval === undefined) return undefined;
  const type = 'KubernetesAPIApprovalPolicyConformant';
  const status = approval.state === 'Approved' ? 'True' : 'False';
  const reason = `${approval.state}Annotation`;
  const before = conditionOf(crd, type);
  const isSame = before?.status === status && before.reason === reason && before.message === approval.message;
  if (isSame) return undefined;
  return crdToObject(withCondition(crd, { type, status, reason, message: approval.message }, now));
}

/** Undefined for unprotected groups. */
function approvalOf({ spec, metadata }: Crd): Approval | undefined {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(spec.group)) return undefined;
  const { annotations = {} } = metadata;
  const text = Object.hasOwn(annotations, ANNOTATION) ? (annotations[ANNOTATION] ?? '') : '';
  if (text === '') return { state: 'Missing', text, message: `${NEEDED}, ${SEE}` };
  if (text.startsWith('unapproved')) {
    return { state: 'Unapproved', text, message: `not approved: ${quoted(text)}` };
  }
  const outcome = parseUrl(text);
  const isLink = 'url' in outcome && outcome.url.host !== '' && outcome.url.scheme !== '';
  if (isLink) return { state: 'Approved', text, message: `approved in ${text}` };
  const message = `${NEEDED} with either a URL or a reason starting with "unapproved", ${SEE}`;
  return { state: 'Invalid', text, message };
}
