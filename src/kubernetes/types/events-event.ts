/**
 * Event of the group events.k8s.io. `event.ts` is the same in the core group.
 */
import { objectReference } from '../meta/index.ts';
import { dateTime, int32, named, required, string, struct } from '../schema/index.ts';
import { defineBuiltin } from './builtin.ts';
import { eventSource } from './event.ts';
import { filled, nullableTime } from './fields.ts';
import { metadataFields, selectable } from './selectable-fields.ts';

export const eventsEvent = defineBuiltin({
  group: 'events.k8s.io',
  kind: 'Event',
  plural: 'events',
  shortNames: ['ev'],
  description: 'Something that happened to an object. Events expire after an hour.',
  selectableFields: [
    ...metadataFields,
    selectable('regarding.kind'),
    selectable('regarding.namespace'),
    selectable('regarding.name'),
    selectable('regarding.uid'),
    selectable('regarding.apiVersion'),
    selectable('regarding.resourceVersion'),
    selectable('regarding.fieldPath'),
    selectable('reason'),
    selectable('reportingController'),
    selectable('type'),
  ],
  fields: {
    eventTime: required(
      named('meta.MicroTime', nullableTime('When it happened; null in events of the core group.')),
    ),
    regarding: filled(objectReference('The object of the event.')),
    related: objectReference('A second object that took part.'),
    reason: string('The reason in one CamelCase word.'),
    action: string('The action that was taken.'),
    note: string('What happened, for people.'),
    type: string('Normal or Warning.'),
    reportingController: string('The reporter, such as kubernetes.io/kubelet.'),
    reportingInstance: string('Which one of them.'),
    series: struct('events.EventSeries', 'How often it happened, where more than once.', {
      count: required(int32('How often.')),
      lastObservedTime: required(named('meta.MicroTime', dateTime('When it happened last.'))),
    }),
    deprecatedCount: int32('count of the core group.'),
    deprecatedFirstTimestamp: nullableTime('firstTimestamp of the core group.'),
    deprecatedLastTimestamp: nullableTime('lastTimestamp of the core group.'),
    deprecatedSource: filled(eventSource('source of the core group.')),
  },
});
