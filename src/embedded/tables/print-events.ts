/**
 * Printers of Events in both groups.
 */

import type { JsonObject } from '../../base/json.ts';
import { numberAt, stringAt, valueAt } from '../../base/json-fields.ts';
import { ageOf } from '../../base/text/index.ts';
import { nameOf } from '../../kubernetes/meta/index.ts';
import { EVENT } from './descriptions-core.ts';
import { NAME, type Printer, printerOf, text, wide } from './printer.ts';

/** The paths of fields, whose names differ between the two groups. */
type EventFields = {
  readonly about: string;
  readonly message: string;
  readonly source: string;
  readonly reporter: string;
  readonly count: string;
  readonly first: string;
  readonly last: string;
};

export const eventPrinter = printerWith({
  about: 'involvedObject',
  message: 'message',
  source: 'source',
  reporter: 'reportingComponent',
  count: 'count',
  first: 'firstTimestamp',
  last: 'lastTimestamp',
});

export const eventsEventPrinter = printerWith({
  about: 'regarding',
  message: 'note',
  source: 'deprecatedSource',
  reporter: 'reportingController',
  count: 'deprecatedCount',
  first: 'deprecatedFirstTimestamp',
  last: 'deprecatedLastTimestamp',
});

function printerWith(fields: EventFields): Printer {
  return printerOf<EventFacts>({
    texts: EVENT,
    read: (event) => factsOf(event, fields),
    columns: [
      text('Last Seen', ({ last }, nowMs) => ageOf(last, nowMs)),
      text('Type', ({ event }) => stringAt(event, 'type')),
      text('Reason', ({ event }) => stringAt(event, 'reason')),
      text('Object', ({ about }) => objectOf(about)),
      wide('Subobject', ({ about }) => stringAt(about, 'fieldPath')),
      wide('Source', ({ source }) => source),
      text('Message', ({ event }) => stringAt(event, fields.message).trim()),
      wide('First Seen', ({ first }, nowMs) => ageOf(first, nowMs)),
      wide('Count', ({ count }) => count),
      { column: { ...NAME, priority: 1 }, cell: ({ event }) => nameOf(event) },
    ],
  });
}

type EventFacts = {
  readonly event: JsonObject;
  readonly about: unknown;
  readonly source: string;
  readonly first: unknown;
  readonly last: unknown;
  readonly count: number;
};

function factsOf(event: JsonObject, fields: EventFields): EventFacts {
  const first = valueAt(event, fields.first) ?? valueAt(event, 'eventTime');
  const series = valueAt(event, 'series') ?? undefined;
  const component = stringAt(event, fields.source, 'component') || stringAt(event, fields.reporter);
  const instance = stringAt(event, fields.source, 'host') || stringAt(event, 'reportingInstance');
  return {
    event,
    about: valueAt(event, fields.about),
    source: instance === '' ? component : `${component}, ${instance}`,
    first,
    last: series === undefined ? (valueAt(event, fields.last) ?? first) : valueAt(series, 'lastObservedTime'),
    // Events of the new API have no count if they happened once.
    count: series === undefined ? numberAt(event, fields.count) || 1 : numberAt(series, 'count'),
  };
}

function objectOf(about: unknown): string {
  const kind = stringAt(about, 'kind').toLowerCase();
  const name = stringAt(about, 'name');
  return name === '' ? kind : `${kind}/${name}`;
}
