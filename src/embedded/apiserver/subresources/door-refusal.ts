/** What the rules of a door say against a request, as a `Refusal` of the server. */
import type { StatusDetails, StatusReason } from '../../../kubernetes/types/index.ts';
import type { DoorRefusal } from '../../resources/index.ts';
import { type Refusal, refusal } from '../refusal.ts';

export function asRefusal({ code, reason, message, details }: DoorRefusal): Refusal {
  return refusal({
    code,
    message,
    // Both are written by the rules as a Status has them.
    ...(reason === undefined ? {} : { reason: reason as StatusReason }),
    ...(details === undefined ? {} : { details: details as StatusDetails }),
  });
}
