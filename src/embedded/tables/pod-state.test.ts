import { describe, expect, it } from 'vitest';
import { parseTimestamp } from '../../base/text/timestamps.ts';
import { podPrinter } from './print-pods.ts';

const nowMs = parseTimestamp('2026-01-01T00:00:00Z') ?? 0;

type Fields = { readonly [name: string]: unknown };

const container = (name: string, state: Fields, more: Fields = {}) => ({
  name,
  ready: false,
  restartCount: 0,
  state,
  ...more,
});
const running = { running: {} };
const ready = { ready: true };
const waiting = (reason: string) => ({ waiting: { reason } });
const ended = (exitCode: number, more: Fields = {}) => ({ terminated: { exitCode, ...more } });
/** Restarted so often, for the last time so long ago. */
const restarted = (restartCount: number, finishedAt?: string) => ({
  restartCount,
  ...(finishedAt === undefined ? {} : { lastState: { terminated: { exitCode: 1, finishedAt } } }),
});

type Case = {
  readonly sidecar?: boolean;
  readonly two?: boolean;
  readonly inits?: readonly object[];
  readonly containers?: readonly object[];
  readonly status?: Fields;
  readonly isGoing?: boolean;
};

/** Ready, Status and Restarts. */
function shown({ sidecar, two, inits, containers, status, isGoing }: Case): readonly unknown[] {
  const pod = {
    metadata: { name: 'a', ...(isGoing === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
    spec: {
      containers: two === true ? [{ name: 'main' }, { name: 'more' }] : [{ name: 'main' }],
      initContainers: [
        { name: 'first' },
        { name: 'second', ...(sidecar ? { restartPolicy: 'Always' } : {}) },
      ],
    },
    status: { phase: 'Pending', initContainerStatuses: inits, containerStatuses: containers, ...status },
  };
  // What the store holds went through JSON.
  return podPrinter.row(JSON.parse(JSON.stringify(pod)), nowMs).cells.slice(1, 4);
}

// Shown so by kube-apiserver 1.33.
describe('what a pod is doing', () => {
  it.each<[string, Case, readonly [string, string, string]]>([
    ['what it says itself', {}, ['0/1', 'Pending', '0']],
    ['its reason', { status: { phase: 'Failed', reason: 'Evicted' } }, ['0/1', 'Evicted', '0']],
    [
      'the gate that it waits at',
      { status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] } },
      ['0/1', 'SchedulingGated', '0'],
    ],
    [
      'a container that runs',
      { status: { phase: 'Running' }, containers: [container('main', running, ready)] },
      ['1/1', 'Running', '0'],
    ],
    [
      'a container that waits, with its restarts',
      { containers: [container('main', waiting('CrashLoopBackOff'), restarted(3, '2025-12-31T23:55:00Z'))] },
      ['0/1', 'CrashLoopBackOff', '3 (5m ago)'],
    ],
    [
      'restarts of which nobody knows when',
      { containers: [container('main', waiting('CrashLoopBackOff'), restarted(3))] },
      ['0/1', 'CrashLoopBackOff', '3'],
    ],
    [
      'no restarts, whatever ended before',
      { containers: [container('main', waiting('X'), restarted(0, '2025-12-31T23:55:00Z'))] },
      ['0/1', 'X', '0'],
    ],
    [
      'the end of a container',
      { status: { phase: 'Succeeded' }, containers: [container('main', ended(0, { reason: 'Completed' }))] },
      ['0/1', 'Completed', '0'],
    ],
    ['an exit code', { containers: [container('main', ended(2))] }, ['0/1', 'ExitCode:2', '0']],
    ['a signal', { containers: [container('main', ended(2, { signal: 9 }))] }, ['0/1', 'Signal:9', '0']],
    [
      'the reason of an end before its signal',
      { containers: [container('main', ended(2, { signal: 9, reason: 'OOMKilled' }))] },
      ['0/1', 'OOMKilled', '0'],
    ],
    [
      'the first of two that wait',
      { two: true, containers: [container('main', waiting('A')), container('more', waiting('B'))] },
      ['0/2', 'A', '0'],
    ],
    [
      'a container that runs beside one that has ended',
      {
        two: true,
        containers: [container('main', ended(0, { reason: 'Completed' })), container('more', running, ready)],
      },
      ['1/2', 'NotReady', '0'],
    ],
    [
      'the same in a pod that is ready',
      {
        two: true,
        status: { conditions: [{ type: 'Ready', status: 'True' }] },
        containers: [container('main', ended(0, { reason: 'Completed' })), container('more', running, ready)],
      },
      ['1/2', 'Running', '0'],
    ],
    [
      'how many init containers are done',
      { inits: [container('first', ended(0)), container('second', running)] },
      ['0/1', 'Init:1/2', '0'],
    ],
    [
      'an init container that waits for its turn',
      { inits: [container('first', waiting('PodInitializing'))] },
      ['0/1', 'Init:0/2', '0'],
    ],
    [
      'an init container that waits for something else',
      { inits: [container('first', waiting('ImagePullBackOff'))] },
      ['0/1', 'Init:ImagePullBackOff', '0'],
    ],
    [
      'an init container that failed',
      { inits: [container('first', ended(1, { reason: 'Error' }), restarted(5, '2025-12-31T23:57:50Z'))] },
      ['0/1', 'Init:Error', '5 (2m10s ago)'],
    ],
    ['its exit code', { inits: [container('first', ended(3))] }, ['0/1', 'Init:ExitCode:3', '0']],
    ['its signal', { inits: [container('first', ended(3, { signal: 15 }))] }, ['0/1', 'Init:Signal:15', '0']],
    [
      'no restarts of init containers that are done',
      {
        status: { phase: 'Running' },
        inits: [container('first', ended(0), restarted(2, '2025-12-31T23:55:00Z'))],
        containers: [container('main', running, ready)],
      },
      ['1/1', 'Running', '0'],
    ],
    [
      'the containers of a pod that is initialized, though an init container runs again',
      {
        status: { phase: 'Running', conditions: [{ type: 'Initialized', status: 'True' }] },
        inits: [container('first', running, restarted(4))],
        containers: [container('main', running, { ...ready, ...restarted(1) })],
      },
      ['1/1', 'Init:0/2', '1'],
    ],
    [
      'a sidecar among the containers, and the last restart of all',
      {
        sidecar: true,
        status: { phase: 'Running' },
        inits: [
          container('first', ended(0)),
          container('second', running, { started: true, ...ready, ...restarted(2, '2025-12-31T23:10:00Z') }),
        ],
        containers: [container('main', running, { ...ready, ...restarted(1, '2025-12-31T22:50:00Z') })],
      },
      ['2/2', 'Running', '3 (50m ago)'],
    ],
    [
      'a sidecar that is not ready',
      {
        sidecar: true,
        status: { phase: 'Running' },
        inits: [container('second', running, { started: true })],
        containers: [container('main', running, ready)],
      },
      ['1/2', 'Running', '0'],
    ],
    [
      'a sidecar that has not started',
      {
        sidecar: true,
        inits: [container('first', ended(0)), container('second', running, { started: false })],
      },
      ['0/2', 'Init:1/2', '0'],
    ],
    [
      'that it goes',
      { isGoing: true, status: { phase: 'Running' }, containers: [container('main', waiting('X'))] },
      ['0/1', 'Terminating', '0'],
    ],
    [
      'that it has failed, though it goes',
      { isGoing: true, status: { phase: 'Failed' } },
      ['0/1', 'Failed', '0'],
    ],
    [
      'that nobody knows, where it goes with its node',
      { isGoing: true, status: { phase: 'Running', reason: 'NodeLost' } },
      ['0/1', 'Unknown', '0'],
    ],
  ])('is %s', (_, facts, cells) => {
    expect(shown(facts)).toEqual(cells);
  });
});
