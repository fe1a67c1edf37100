/** Recorded from kube-apiserver 1.33. */
import { describe, expect, it } from 'vitest';
import { created, updated } from '../../../test/support/resource-writes.ts';
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

/** An event that `events.k8s.io` accepts. */
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

describe('the strategy of core Events', () => {
  it('accepts an almost empty event and adds the reporter fields', () => {
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

  it('requires the namespace of the involved object', () => {
    expect(created(coreEventStrategy, { metadata, involvedObject: { namespace: 'other' } }).causes).toEqual([
      'involvedObject.namespace FieldValueInvalid: Invalid value: "other": does not match event.namespace',
    ]);
    expect(created(coreEventStrategy, { metadata, involvedObject: { kind: 'Node' } }).causes).toEqual([
      'involvedObject.namespace FieldValueInvalid: Invalid value: "": does not match event.namespace',
    ]);
  });

  it('accepts another namespace for an event with eventTime, except for cluster-scoped objects', () => {
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

  it('requires reporter, action and reason for an event with eventTime', () => {
    const sent = { metadata, involvedObject: { namespace: 'space' }, eventTime: TIME };
    expect(brief(created(coreEventStrategy, sent).causes)).toEqual([
      ...required('reportingComponent'),
      ...noName('reportingComponent'),
      ...required('reportingInstance', 'action', 'reason'),
    ]);
  });
});

describe('the strategy of events.k8s.io Events', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    [
      'no eventTime',
      { eventTime: null, type: '' },
      [...required('eventTime'), invalid('type', 'has invalid value: ')],
    ],
    [
      'only an eventTime',
      { reportingController: '', reportingInstance: '', action: '', reason: '' },
      [
        ...required('reportingController'),
        ...noName('reportingController'),
        ...required('reportingInstance', 'action', 'reason'),
      ],
    ],
    [
      'values that are too long',
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
      'deprecated fields',
      {
        deprecatedCount: 1,
        deprecatedFirstTimestamp: '2020-01-01T00:00:00Z',
        deprecatedSource: { component: 'x' },
      },
      ['firstTimestamp', 'count', 'source'].map((field) => invalid(field, 'needs to be unset')),
    ],
    ['all required fields', {}, []],
  ])('validates an event with %s', (_, change, causes) => {
    expect(brief(created(eventsEventStrategy, { ...good, ...change }).causes)).toEqual(causes);
  });

  it('allows changes of the series only', () => {
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

describe('event conversion', () => {
  it('renames the fields that differ between the groups', () => {
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
