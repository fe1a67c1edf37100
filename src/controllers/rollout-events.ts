/** Records the events of a rollout. */

import {
  type MachineConfigPool,
  type MachineOSConfig,
  machineConfigPool as machineConfigPoolKind,
  machineOSConfig as machineOSConfigKind,
} from '../api/index.ts';
import type { AnyResource, EventSubject } from '../kubernetes/client/index.ts';
import { apiVersionOf, type ObjectMeta } from '../kubernetes/meta/index.ts';
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
  return subject(machineConfigPoolKind, metadata);
}

export function osConfigSubject({ metadata }: MachineOSConfig): EventSubject {
  return subject(machineOSConfigKind, metadata);
}

function subject(resource: AnyResource, { name, uid }: ObjectMeta): EventSubject {
  const about = { apiVersion: apiVersionOf(resource), kind: resource.kind, name };
  return uid === undefined ? about : { ...about, uid };
}
