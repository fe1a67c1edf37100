/** Records the events of a rollout. */

import { type MachineConfigPool, machineConfigPool as machineConfigPoolKind } from '../api/index.ts';
import type { EventSubject } from '../kubernetes/client/index.ts';
import { apiVersionOf } from '../kubernetes/meta/index.ts';
import type { RolloutEvent } from '../rollout/index.ts';
import type { Context } from './context.ts';

export function record(
  events: ReturnType<Context['eventsOf']>,
  about: EventSubject,
  { type, reason, message }: RolloutEvent,
): void {
  if (type === 'Warning') events.warning(about, reason, message);
  else events.normal(about, reason, message);
}

export function subjectOf({ metadata }: MachineConfigPool): EventSubject {
  const { name, uid } = metadata;
  const about = { apiVersion: apiVersionOf(machineConfigPoolKind), kind: machineConfigPoolKind.kind, name };
  return uid === undefined ? about : { ...about, uid };
}
