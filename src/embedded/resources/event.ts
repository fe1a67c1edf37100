/**
 * Events, in the core group and in `events.k8s.io`. They are the same objects under other names of their fields, and
 * the server keeps them in the form of the core group: `event-conversion.ts`.
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

/** These two are always there, also where nobody said them: so they are nobody's. */
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
      ...(isNewStyle(core) ? newStyleProblems(core, 'reportingController') : [required('eventTime')]),
      ...deprecatedProblems(core),
    ];
  },
  validateUpdate: (object, old) => {
    const [now, before] = [coreEventOf(object), coreEventOf(old)];
    return changeProblems(now, before);
  },
});

/** Only events that say when they happened, in the newer way, have to say the rest of it. */
function coreProblems(object: JsonObject): readonly Problem[] {
  return [
    ...namespaceProblems(object),
    ...(isNewStyle(object) ? newStyleProblems(object, 'reportingComponent').filter(isOfBoth) : []),
  ];
}

function isNewStyle(object: JsonObject): boolean {
  return optionalStringAt(object, 'eventTime') !== undefined;
}

const DEFAULT_NAMESPACE = 'default';
const SYSTEM_NAMESPACE = 'kube-system';

/**
 * An event lies where its object lies; what has no namespace has its events in the default one. Those of the newer
 * way may lie elsewhere, or for what has no namespace in that of the system.
 */
function namespaceProblems(object: JsonObject): readonly Problem[] {
  const involved = stringAt(object, 'involvedObject', 'namespace');
  const namespace = stringAt(object, 'metadata', 'namespace');
  if (namespace === (involved || DEFAULT_NAMESPACE)) return [];
  if (isNewStyle(object) && (involved !== '' || namespace === SYSTEM_NAMESPACE)) return [];
  return [invalidText('involvedObject.namespace', involved, 'does not match event.namespace')];
}

const MAX_WORD_BYTES = 128;
const MAX_NOTE_BYTES = 1024;

function newStyleProblems(object: JsonObject, controllerField: string): readonly Problem[] {
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

/** The core group does not look at counts and texts. */
function isOfBoth({ path }: Problem): boolean {
  return !path.startsWith('series') && path !== 'message';
}

function wordProblems(object: JsonObject, field: string): readonly Problem[] {
  const word = stringAt(object, field);
  return word === '' ? [required(field)] : lengthProblems(field, word, MAX_WORD_BYTES);
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

/** The newer group takes two types only, and nothing from the older way of saying things. */
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

/** In the server's order, in which one of them comes twice. */
const FIXED = [
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

/** Whatever happened has happened: only how often may change. */
function changeProblems(object: JsonObject, old: JsonObject): readonly Problem[] {
  return FIXED.flatMap((field) => {
    const key = field === 'reportingController' ? 'reportingComponent' : field;
    const [now, before] = [valueAt(object, key), valueAt(old, key)];
    return jsonEqual(now, before) ? [] : [invalid(field, shown(now), 'field is immutable')];
  });
}

function shown(value: Json | undefined): string {
  if (value === undefined) return '"null"';
  return typeof value === 'string' ? quoted(value) : literal(value);
}
