import { describe, expect, it } from 'vitest';
import type { Json } from '../../base/json.ts';
import { parseTimestamp } from '../../base/text/timestamps.ts';
import { eventPrinter, eventsEventPrinter } from './print-events.ts';

const nowMs = parseTimestamp('2026-01-01T00:00:00Z') ?? 0;
const minutesAgo = (minutes: number) => `2025-12-31T23:${60 - minutes}:00Z`;

type Fields = { readonly [name: string]: Json };

/** An event in the fields of both groups, and the row of kube-apiserver 1.33 for either. */
const cases: readonly [string, Fields, Fields, readonly Json[]][] = [
  [
    'without fields',
    { metadata: { name: 'a' } },
    { metadata: { name: 'a' } },
    ['<unknown>', '', '', '', '', '', '', '<unknown>', 1, 'a'],
  ],
  [
    'with deprecated fields',
    {
      metadata: { name: 'a' },
      type: 'Warning',
      reason: 'R',
      involvedObject: { kind: 'ConfigMap', name: 'c', fieldPath: 'data.x' },
      source: { component: 'kubelet', host: 'h' },
      message: ' \n x y \t',
      firstTimestamp: minutesAgo(30),
      lastTimestamp: minutesAgo(20),
      count: 7,
      eventTime: null,
    },
    {
      metadata: { name: 'a' },
      type: 'Warning',
      reason: 'R',
      regarding: { kind: 'ConfigMap', name: 'c', fieldPath: 'data.x' },
      deprecatedSource: { component: 'kubelet', host: 'h' },
      note: ' \n x y \t',
      deprecatedFirstTimestamp: minutesAgo(30),
      deprecatedLastTimestamp: minutesAgo(20),
      deprecatedCount: 7,
      eventTime: null,
    },
    ['20m', 'Warning', 'R', 'configmap/c', 'data.x', 'kubelet, h', 'x y', '30m', 7, 'a'],
  ],
  [
    'with the fields of events.k8s.io',
    {
      metadata: { name: 'a' },
      involvedObject: { kind: 'Pod' },
      reportingComponent: 'c',
      eventTime: minutesAgo(30),
      firstTimestamp: null,
      lastTimestamp: null,
    },
    {
      metadata: { name: 'a' },
      regarding: { kind: 'Pod' },
      reportingController: 'c',
      eventTime: minutesAgo(30),
      deprecatedFirstTimestamp: null,
      deprecatedLastTimestamp: null,
    },
    ['30m', '', '', 'pod', '', 'c', '', '30m', 1, 'a'],
  ],
  [
    'with a series',
    {
      metadata: { name: 'a' },
      eventTime: minutesAgo(30),
      series: { count: 9, lastObservedTime: minutesAgo(20) },
      lastTimestamp: minutesAgo(25),
      reportingInstance: 'i',
    },
    {
      metadata: { name: 'a' },
      eventTime: minutesAgo(30),
      series: { count: 9, lastObservedTime: minutesAgo(20) },
      deprecatedLastTimestamp: minutesAgo(25),
      reportingInstance: 'i',
    },
    ['20m', '', '', '', '', ', i', '', '30m', 9, 'a'],
  ],
];

describe('the row of an event', () => {
  it.each(cases)('%s is the same in both groups', (_, core, events, cells) => {
    expect(eventPrinter.row(core, nowMs).cells).toEqual(cells);
    expect(eventsEventPrinter.row(events, nowMs).cells).toEqual(cells);
  });
});
