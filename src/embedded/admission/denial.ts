/**
 * How a refusal is told to the client.
 */
import { objectAt, stringAt } from '../../base/json-fields.ts';
import { quoted } from '../../base/text/index.ts';
import type { AdmissionRequest, Denial } from './admission.ts';

/** Who refuses, and why. A policy that is wrong in itself refuses without a binding. */
export type Refusal = {
  readonly policyName: string;
  readonly bindingName?: string;
  readonly message: string;
  readonly reason?: string;
};

export function denialOf(refusal: Refusal, request: AdmissionRequest): Denial {
  const { policyName, bindingName, reason = 'Invalid' } = refusal;
  const binding = bindingName === undefined ? '' : ` with binding '${bindingName}'`;
  const message = `ValidatingAdmissionPolicy '${policyName}'${binding} denied request: ${refusal.message}`;
  const name = nameIn(request);
  const { group, plural } = request.resource;
  const resource = group === '' ? plural : `${plural}.${group}`;
  return {
    code: CODES.get(reason) ?? UNPROCESSABLE,
    reason,
    message: `${resource} ${quoted(name)} is forbidden: ${message}`,
    name,
    causes: [{ message }],
  };
}

const UNPROCESSABLE = 422;
const CODES: ReadonlyMap<string, number> = new Map([
  ['Unauthorized', 401],
  ['Forbidden', 403],
  ['RequestEntityTooLarge', 413],
  ['Invalid', UNPROCESSABLE],
]);

function nameIn({ name, object }: AdmissionRequest): string {
  if (name !== '') return name;
  const metadata = objectAt(object ?? {}, 'metadata') ?? {};
  return stringAt(metadata, 'name') || stringAt(metadata, 'generateName') || 'Unknown';
}
