/**
 * Event of the core group.
 *
 * The same events can be read and written in the group events.k8s.io, with other field names: see `events-event.ts`.
 */
import { type ObjectOfKind, objectReference } from '../meta/index.ts';
import { int32, named, string, struct } from '../schema/index.ts';
import { defineBuiltin } from './builtin.ts';
import { always, filled, nullableTime, withDefault } from './fields.ts';
import { objectMeta } from './object-meta.ts';
import { metadataFields, selectable } from './selectable-fields.ts';

/** The reporter, in the older of two forms. */
export const eventSource = (description: string) =>
  struct('core.EventSource', description, {
    component: string('The program.'),
    host: string('The node it runs on.'),
  });

export const event = defineBuiltin({
  group: '',
  kind: 'Event',
  plural: 'events',
  shortNames: ['ev'],
  description: 'Something that happened to an object. Events expire after an hour.',
  selectableFields: [
    ...metadataFields,
    selectable('involvedObject.kind'),
    selectable('involvedObject.namespace'),
    selectable('involvedObject.name'),
    selectable('involvedObject.uid'),
    selectable('involvedObject.apiVersion'),
    selectable('involvedObject.resourceVersion'),
    selectable('involvedObject.fieldPath'),
    selectable('reason'),
    selectable('reportingComponent'),
    selectable('source', { places: [['source', 'component'], ['reportingComponent']] }),
    selectable('type'),
  ],
  fields: {
    metadata: always(objectMeta),
    involvedObject: always(objectReference('The object of the event.')),
    reason: string('The reason in one CamelCase word.'),
    message: string('What happened, for people.'),
    type: string('Normal or Warning.'),
    count: int32('How often it happened.'),
    firstTimestamp: nullableTime('When it happened first.'),
    lastTimestamp: nullableTime('When it happened last.'),
    source: filled(eventSource('The reporter.')),
    eventTime: named(
      'meta.MicroTime',
      nullableTime('When it happened, for those who fill in reportingComponent.'),
    ),
    series: struct('core.EventSeries', 'How often it happened, for the same.', {
      count: int32('How often.'),
      lastObservedTime: named('meta.MicroTime', nullableTime('When it happened last.')),
    }),
    action: string('The action that was taken.'),
    related: objectReference('A second object that took part.'),
    reportingComponent: withDefault(string('The reporter, such as kubernetes.io/kubelet.'), ''),
    reportingInstance: withDefault(string('Which one of them.'), ''),
  },
});
export type Event = ObjectOfKind<typeof event>;
