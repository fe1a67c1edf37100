/** The error of a request that a ValidatingAdmissionPolicy denies. */

import { objectAt, stringAt } from '../../base/json-fields.ts';
import { quoted } from '../../base/text/index.ts';
import { type StatusError, statusError } from '../status/index.ts';
import type { AdmissionRequest } from './admission.ts';

/** The policy and binding that deny a request. An invalid policy denies without a binding. */
export type Rejection = {
  readonly policyName: string;
  readonly bindingName?: string;
  readonly message: string;
  readonly reason?: string;
};

export function denialOf(rejection: Rejection, request: AdmissionRequest): StatusError {
  const { policyName, bindingName, reason = 'Invalid' } = rejection;
  const binding = bindingName === undefined ? '' : ` with binding '${bindingName}'`;
  const message = `ValidatingAdmissionPolicy '${policyName}'${binding} denied request: ${rejection.message}`;
  const name = nameIn(request);
  const { group, plural } = request.resource;
  const resource = group === '' ? plural : `${plural}.${group}`;
  return statusError({
    code: CODES.get(reason) ?? UNPROCESSABLE,
    // Validation of policies allows only the reasons in `CODES`.
    reason: reason as 'Invalid',
    message: `${resource} ${quoted(name)} is forbidden: ${message}`,
    details: { name, ...(group === '' ? {} : { group }), kind: plural, causes: [{ message }] },
  });
}

const UNPROCESSABLE = 422;
const CODES: ReadonlyMap<string, number> = new Map([
  ['Unauthorized', 401],
  ['Forbidden', 403],
  ['RequestEntityTooLarge', 413],
  ['Invalid', UNPROCESSABLE],
]);

/** Never empty. */
function nameIn({ name, object }: AdmissionRequest): string {
  if (name !== '') return name;
  const metadata = objectAt(object ?? {}, 'metadata') ?? {};
  return stringAt(metadata, 'name') || stringAt(metadata, 'generateName') || 'Unknown';
}
