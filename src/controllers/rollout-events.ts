/** Records the events of a rollout. */

import {
  type MachineConfigPool,
  type MachineOSConfig,
  machineConfigPool as machineConfigPoolKind,
  machineOSConfig as machineOSConfigKind,
} from '../api/index.ts';
import type { AnyResource, EventSubject } from '../kubernetes/client/index.ts';
import { apiVersionOf, type ObjectMeta } from '../kubernetes/meta/index.ts';
import { type Node, node as nodeKind } from '../kubernetes/types/index.ts';
import { ROLLOUT_COMPONENT, type RolloutEvent } from '../rollout/index.ts';
import type { Context } from './context.ts';

/** The only namespace in which `kubectl describe` looks for events about cluster-scoped objects. */
const DEFAULT_NAMESPACE = 'default';

export function record(
  { eventsOf }: Pick<Context, 'eventsOf'>,
  about: EventSubject,
  { type, reason, message, isAdditional }: RolloutEvent,
  component = ROLLOUT_COMPONENT,
): void {
  const events = isAdditional === true ? eventsOf(component, DEFAULT_NAMESPACE) : eventsOf(component);
  if (type === 'Warning') events.warning(about, reason, message);
  else events.normal(about, reason, message);
}

export function subjectOf({ metadata }: MachineConfigPool): EventSubject {
  return subject(machineConfigPoolKind, metadata);
}

export function nodeSubject({ metadata }: Node): EventSubject {
  return subject(nodeKind, metadata);
}

export function osConfigSubject({ metadata }: MachineOSConfig): EventSubject {
  return subject(machineOSConfigKind, metadata);
}

function subject(resource: AnyResource, { name, uid }: ObjectMeta): EventSubject {
  const about = { apiVersion: apiVersionOf(resource), kind: resource.kind, name };
  return uid === undefined ? about : { ...about, uid };
}
