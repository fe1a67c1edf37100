/**
 * The strategies of Events in the core group and in `events.k8s.io`. Both are the same objects with different field
 * names, stored in the core form (`event-conversion.ts`).
 */

import type { Problem } from '../../base/errors.ts';
import { byteLength, type Json, type JsonObject, jsonEqual } from '../../base/json.ts';
import { numberAt, objectAt, optionalStringAt, stringAt, valueAt } from '../../base/json-fields.ts';
import { literal, quoted } from '../../base/text/index.ts';
import { event, eventsEvent } from '../../kubernetes/types/index.ts';
import { builtinStrategy } from './builtin-strategy.ts';
import { coreEventOf } from './event-conversion.ts';
import { invalid, invalidText, required } from './field-problems.ts';
import { qualifiedNameProblems } from './name-problems.ts';
import { pathSegmentProblems } from './path-segment.ts';
import type { Strategy } from './strategy.ts';

const shared = { validateName: pathSegmentProblems, allowsCreateOnUpdate: true } as const;

export const coreEventStrategy = withReporter(
  builtinStrategy({ of: event, ...shared, validateCreate: coreProblems, validateUpdate: coreProblems }),
);

/** These fields are set even if the client did not send them, so no field manager owns them. */
function withReporter(strategy: Strategy): Strategy {
  return {
    ...strategy,
    decode(value) {
      const decoded = strategy.decode(value);
      if (decoded.kind === 'failed') return decoded;
      return { ...decoded, object: { reportingComponent: '', reportingInstance: '', ...decoded.object } };
    },
  };
}

export const eventsEventStrategy = builtinStrategy({
  of: eventsEvent,
  ...shared,
  validateCreate: (object) => {
    const core = coreEventOf(object);
    return [
      ...namespaceProblems(core),
      ...(hasEventTime(core) ? eventTimeProblems(core, 'reportingController') : [required('eventTime')]),
      ...deprecatedProblems(core),
    ];
  },
  validateUpdate: (object, old) => {
    const [now, before] = [coreEventOf(object), coreEventOf(old)];
    return changeProblems(now, before);
  },
});

/** Core events need the fields of the new API only if they have an `eventTime`. */
function coreProblems(object: JsonObject): readonly Problem[] {
  return [
    ...namespaceProblems(object),
    ...(hasEventTime(object)
      ? eventTimeProblems(object, 'reportingComponent').filter(isValidatedInBoth)
      : []),
  ];
}

function hasEventTime(object: JsonObject): boolean {
  return optionalStringAt(object, 'eventTime') !== undefined;
}

const DEFAULT_NAMESPACE = 'default';
const SYSTEM_NAMESPACE = 'kube-system';

/**
 * An event is in the namespace of its object, or in `default` for cluster-scoped objects. Events with an `eventTime`
 * may be in another namespace, and in `kube-system` for cluster-scoped objects.
 */
function namespaceProblems(object: JsonObject): readonly Problem[] {
  const involved = stringAt(object, 'involvedObject', 'namespace');
  const namespace = stringAt(object, 'metadata', 'namespace');
  if (namespace === (involved || DEFAULT_NAMESPACE)) return [];
  if (hasEventTime(object) && (involved !== '' || namespace === SYSTEM_NAMESPACE)) return [];
  return [invalidText('involvedObject.namespace', involved, 'does not match event.namespace')];
}

const MAX_FIELD_BYTES = 128;
const MAX_NOTE_BYTES = 1024;

function eventTimeProblems(object: JsonObject, controllerField: string): readonly Problem[] {
  const controller = stringAt(object, 'reportingComponent');
  return [
    ...(controller === '' ? [required(controllerField)] : []),
    ...qualifiedNameProblems(controllerField, controller),
    ...wordProblems(object, 'reportingInstance'),
    ...wordProblems(object, 'action'),
    ...wordProblems(object, 'reason'),
    ...lengthProblems('message', stringAt(object, 'message'), MAX_NOTE_BYTES),
    ...seriesProblems(object),
  ];
}

/** The core group does not validate series and messages. */
function isValidatedInBoth({ path }: Problem): boolean {
  return !path.startsWith('series') && path !== 'message';
}

function wordProblems(object: JsonObject, field: string): readonly Problem[] {
  const word = stringAt(object, field);
  return word === '' ? [required(field)] : lengthProblems(field, word, MAX_FIELD_BYTES);
}

function lengthProblems(field: string, text: string, max: number): readonly Problem[] {
  return byteLength(text) > max ? [invalidText(field, '', `can have at most ${max} characters`)] : [];
}

function seriesProblems(object: JsonObject): readonly Problem[] {
  const series = objectAt(object, 'series');
  if (series === undefined) return [];
  return [
    ...(numberAt(series, 'count') < 2 ? [invalidText('series.count', '', 'should be at least 2')] : []),
    ...(optionalStringAt(series, 'lastObservedTime') === undefined
      ? [required('series.lastObservedTime')]
      : []),
  ];
}

/** `events.k8s.io` accepts two types only, and none of the deprecated fields. */
function deprecatedProblems(object: JsonObject): readonly Problem[] {
  const type = stringAt(object, 'type');
  const older = ['firstTimestamp', 'lastTimestamp'].filter(
    (field) => optionalStringAt(object, field) !== undefined,
  );
  const source = Object.keys(objectAt(object, 'source') ?? {});
  const set = [
    ...older,
    ...(numberAt(object, 'count') === 0 ? [] : ['count']),
    ...(source.length === 0 ? [] : ['source']),
  ];
  return [
    ...(['Normal', 'Warning'].includes(type) ? [] : [invalidText('type', '', `has invalid value: ${type}`)]),
    ...set.map((field) => invalidText(field, '', 'needs to be unset')),
  ];
}

/** In the order of kube-apiserver, which checks `reason` twice. */
const IMMUTABLE_FIELDS = [
  'involvedObject',
  'reason',
  'source',
  'message',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'reason',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingController',
  'reportingInstance',
] as const;

/** Only the series of an event can be updated. */
function changeProblems(object: JsonObject, old: JsonObject): readonly Problem[] {
  return IMMUTABLE_FIELDS.flatMap((field) => {
    const key = field === 'reportingController' ? 'reportingComponent' : field;
    const [now, before] = [valueAt(object, key), valueAt(old, key)];
    return jsonEqual(now, before) ? [] : [invalid(field, formatted(now), 'field is immutable')];
  });
}

function formatted(value: Json | undefined): string {
  if (value === undefined) return '"null"';
  return typeof value === 'string' ? quoted(value) : literal(value);
}
