/**
 * Lease: who leads, or that somebody is still there.
 */
import type { ObjectOfKind } from '../meta/index.ts';
import { dateTime, int32, object, string } from '../schema/index.ts';
import { defineBuiltin } from './builtin.ts';
import { present } from './fields.ts';

export const lease = defineBuiltin({
  group: 'coordination.k8s.io',
  kind: 'Lease',
  plural: 'leases',
  description: 'Who leads, or that somebody is still there.',
  fields: {
    spec: present(
      object('Who holds it, and until when.', {
        holderIdentity: string('Who holds it.'),
        leaseDurationSeconds: int32('How long it lasts after it was renewed.'),
        acquireTime: dateTime('Since when the holder has it.'),
        renewTime: dateTime('When the holder last renewed it.'),
        leaseTransitions: int32('How often it changed hands.'),
        strategy: string('How the holder is chosen, where candidates coordinate.'),
        preferredHolder: string('Who should have it next, where candidates coordinate.'),
      }),
    ),
  },
});
export type Lease = ObjectOfKind<typeof lease>;
