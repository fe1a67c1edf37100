/**
 * Lease: leader election, and heartbeats of nodes.
 */
import type { ObjectOfKind } from '../meta/index.ts';
import { dateTime, int32, named, pointer, string, struct } from '../schema/index.ts';
import { defineBuiltin } from './builtin.ts';
import { present } from './fields.ts';

export const lease = defineBuiltin({
  group: 'coordination.k8s.io',
  kind: 'Lease',
  plural: 'leases',
  description: 'A lock for leader election, or a heartbeat.',
  fields: {
    spec: present(
      struct('coordination.LeaseSpec', 'Who holds it, and until when.', {
        holderIdentity: pointer(string('Who holds it.')),
        leaseDurationSeconds: pointer(int32('How long it lasts after it was renewed.')),
        acquireTime: named('meta.MicroTime', dateTime('Since when the holder has it.')),
        renewTime: named('meta.MicroTime', dateTime('When the holder last renewed it.')),
        leaseTransitions: pointer(int32('How often it changed hands.')),
        strategy: pointer(
          named(
            'coordination.CoordinatedLeaseStrategy',
            string('How the holder is chosen, where candidates coordinate.'),
          ),
        ),
        preferredHolder: pointer(string('Who should have it next, where candidates coordinate.')),
      }),
    ),
  },
});
export type Lease = ObjectOfKind<typeof lease>;
