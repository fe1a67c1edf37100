/** Recorded from kube-apiserver 1.33. */
import { describe, expect, it } from 'vitest';
import { created, updated } from '../../../test/resource-writes.ts';
import type { JsonObject } from '../../base/json.ts';
import { coreEventStrategy, eventsEventStrategy } from './event.ts';
import { coreEventOf, eventsEventOf } from './event-conversion.ts';

const TIME = '2020-01-01T00:00:00.000000Z';
const metadata = { name: 'e' };
const required = (...fields: readonly string[]) =>
  fields.map((field) => `${field} FieldValueRequired: Required value`);
const invalid = (field: string, why: string) => `${field} FieldValueInvalid: Invalid value: "": ${why}`;
const brief = (causes: readonly string[]) => causes.map((cause) => cause.replace(/ \(e\.g\. '.*$/, ''));
const NO_NAME = [
  invalid('X', 'name part must be non-empty'),
  invalid(
    'X',
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  ),
];
const noName = (field: string) => NO_NAME.map((text) => text.replace('X', field));

/** One that the newer group takes. */
const good: JsonObject = {
  metadata,
  eventTime: TIME,
  regarding: { namespace: 'space', kind: 'Pod', name: 'p' },
  reportingController: 'a/b',
  reportingInstance: 'i',
  action: 'A',
  reason: 'R',
  note: 'hello',
  type: 'Normal',
};

describe('an Event of the core group', () => {
  it('may say next to nothing, and what it leaves out is written', () => {
    const { object, causes } = created(coreEventStrategy, {
      metadata,
      involvedObject: { namespace: 'space' },
    });
    expect(causes).toEqual([]);
    expect(object).toMatchObject({
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    });
  });

  it('lies where its object lies', () => {
    expect(created(coreEventStrategy, { metadata, involvedObject: { namespace: 'other' } }).causes).toEqual([
      'involvedObject.namespace FieldValueInvalid: Invalid value: "other": does not match event.namespace',
    ]);
    expect(created(coreEventStrategy, { metadata, involvedObject: { kind: 'Node' } }).causes).toEqual([
      'involvedObject.namespace FieldValueInvalid: Invalid value: "": does not match event.namespace',
    ]);
  });

  it('may lie elsewhere where it says when in the newer way, but not for what has no namespace', () => {
    const newer = {
      reportingComponent: 'a/b',
      reportingInstance: 'i',
      action: 'A',
      reason: 'R',
      eventTime: TIME,
    };
    const about = (involvedObject: JsonObject) => ({ metadata, involvedObject, ...newer });
    expect(created(coreEventStrategy, about({ namespace: 'other' })).causes).toEqual([]);
    expect(created(coreEventStrategy, about({ kind: 'Node' })).causes).toEqual([
      'involvedObject.namespace FieldValueInvalid: Invalid value: "": does not match event.namespace',
    ]);
    const inSystem = { ...about({ kind: 'Node' }), metadata: { ...metadata, namespace: 'kube-system' } };
    expect(coreEventStrategy.validateCreate(inSystem)).toEqual([]);
  });

  it('says who and what where it says when in the newer way', () => {
    const sent = { metadata, involvedObject: { namespace: 'space' }, eventTime: TIME };
    expect(brief(created(coreEventStrategy, sent).causes)).toEqual([
      ...required('reportingComponent'),
      ...noName('reportingComponent'),
      ...required('reportingInstance', 'action', 'reason'),
    ]);
  });
});

describe('an Event of events.k8s.io', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    [
      'no time',
      { eventTime: null, type: '' },
      [...required('eventTime'), invalid('type', 'has invalid value: ')],
    ],
    [
      'nothing else',
      { reportingController: '', reportingInstance: '', action: '', reason: '' },
      [
        ...required('reportingController'),
        ...noName('reportingController'),
        ...required('reportingInstance', 'action', 'reason'),
      ],
    ],
    [
      'too much',
      {
        reportingInstance: 'i'.repeat(129),
        action: 'a'.repeat(129),
        reason: 'r'.repeat(129),
        note: 'n'.repeat(1025),
        type: 'X',
        series: { count: 1 },
      },
      [
        invalid('reportingInstance', 'can have at most 128 characters'),
        invalid('action', 'can have at most 128 characters'),
        invalid('reason', 'can have at most 128 characters'),
        invalid('message', 'can have at most 1024 characters'),
        invalid('series.count', 'should be at least 2'),
        ...required('series.lastObservedTime'),
        invalid('type', 'has invalid value: X'),
      ],
    ],
    [
      'things in the older way',
      {
        deprecatedCount: 1,
        deprecatedFirstTimestamp: '2020-01-01T00:00:00Z',
        deprecatedSource: { component: 'x' },
      },
      ['firstTimestamp', 'count', 'source'].map((field) => invalid(field, 'needs to be unset')),
    ],
    ['all that is needed', {}, []],
  ])('that says %s is judged by the newer rules', (_, change, causes) => {
    expect(brief(created(eventsEventStrategy, { ...good, ...change }).causes)).toEqual(causes);
  });

  it('can only happen again, in the server’s words', () => {
    const old = created(eventsEventStrategy, good).object;
    const series = { count: 5, lastObservedTime: TIME };
    expect(updated(eventsEventStrategy, old, { ...old, series }).causes).toEqual([]);
    expect(updated(eventsEventStrategy, old, { ...old, note: 'z', reason: 'Z' }).causes).toEqual([
      'reason FieldValueInvalid: Invalid value: "Z": field is immutable',
      'message FieldValueInvalid: Invalid value: "z": field is immutable',
      'reason FieldValueInvalid: Invalid value: "Z": field is immutable',
    ]);
  });
});

describe('an event in the words of the other group', () => {
  it('has other names for some fields', () => {
    const core = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata,
      involvedObject: { kind: 'Pod' },
      reason: 'R',
      message: 'm',
      source: { component: 'c' },
      firstTimestamp: '2020-01-01T00:00:00Z',
      lastTimestamp: null,
      count: 3,
      type: 'Normal',
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    };
    const events = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata,
      regarding: { kind: 'Pod' },
      reason: 'R',
      note: 'm',
      deprecatedSource: { component: 'c' },
      deprecatedFirstTimestamp: '2020-01-01T00:00:00Z',
      deprecatedLastTimestamp: null,
      deprecatedCount: 3,
      type: 'Normal',
      eventTime: null,
    };
    expect(eventsEventOf(core)).toEqual(events);
    expect(coreEventOf(events)).toEqual(core);
  });
});
