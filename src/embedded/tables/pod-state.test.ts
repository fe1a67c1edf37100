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
/** A container with a number of restarts, the last of them at a time. */
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
  readonly isDeleting?: boolean;
};

/** Ready, Status and Restarts. */
function formatted({ sidecar, two, inits, containers, status, isDeleting }: Case): readonly unknown[] {
  const pod = {
    metadata: { name: 'a', ...(isDeleting === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
    spec: {
      containers: two === true ? [{ name: 'main' }, { name: 'more' }] : [{ name: 'main' }],
      initContainers: [
        { name: 'first' },
        { name: 'second', ...(sidecar ? { restartPolicy: 'Always' } : {}) },
      ],
    },
    status: { phase: 'Pending', initContainerStatuses: inits, containerStatuses: containers, ...status },
  };
  // Stored objects have been serialized as JSON.
  return podPrinter.row(JSON.parse(JSON.stringify(pod)), nowMs).cells.slice(1, 4);
}

// Recorded from kube-apiserver 1.33.
describe('the status of a pod', () => {
  it.each<[string, Case, readonly [string, string, string]]>([
    ['the phase', {}, ['0/1', 'Pending', '0']],
    ['the reason of the status', { status: { phase: 'Failed', reason: 'Evicted' } }, ['0/1', 'Evicted', '0']],
    [
      'a scheduling gate',
      { status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] } },
      ['0/1', 'SchedulingGated', '0'],
    ],
    [
      'a running container',
      { status: { phase: 'Running' }, containers: [container('main', running, ready)] },
      ['1/1', 'Running', '0'],
    ],
    [
      'a waiting container, with its restarts',
      { containers: [container('main', waiting('CrashLoopBackOff'), restarted(3, '2025-12-31T23:55:00Z'))] },
      ['0/1', 'CrashLoopBackOff', '3 (5m ago)'],
    ],
    [
      'restarts at an unknown time',
      { containers: [container('main', waiting('CrashLoopBackOff'), restarted(3))] },
      ['0/1', 'CrashLoopBackOff', '3'],
    ],
    [
      'no restarts, whatever terminated before',
      { containers: [container('main', waiting('X'), restarted(0, '2025-12-31T23:55:00Z'))] },
      ['0/1', 'X', '0'],
    ],
    [
      'the reason of a terminated container',
      { status: { phase: 'Succeeded' }, containers: [container('main', ended(0, { reason: 'Completed' }))] },
      ['0/1', 'Completed', '0'],
    ],
    ['an exit code', { containers: [container('main', ended(2))] }, ['0/1', 'ExitCode:2', '0']],
    ['a signal', { containers: [container('main', ended(2, { signal: 9 }))] }, ['0/1', 'Signal:9', '0']],
    [
      'the reason of a termination before its signal',
      { containers: [container('main', ended(2, { signal: 9, reason: 'OOMKilled' }))] },
      ['0/1', 'OOMKilled', '0'],
    ],
    [
      'the first of two waiting containers',
      { two: true, containers: [container('main', waiting('A')), container('more', waiting('B'))] },
      ['0/2', 'A', '0'],
    ],
    [
      'a running container beside a completed one',
      {
        two: true,
        containers: [container('main', ended(0, { reason: 'Completed' })), container('more', running, ready)],
      },
      ['1/2', 'NotReady', '0'],
    ],
    [
      'a running container beside a completed one in a ready pod',
      {
        two: true,
        status: { conditions: [{ type: 'Ready', status: 'True' }] },
        containers: [container('main', ended(0, { reason: 'Completed' })), container('more', running, ready)],
      },
      ['1/2', 'Running', '0'],
    ],
    [
      'the number of finished init containers',
      { inits: [container('first', ended(0)), container('second', running)] },
      ['0/1', 'Init:1/2', '0'],
    ],
    [
      'a pending init container',
      { inits: [container('first', waiting('PodInitializing'))] },
      ['0/1', 'Init:0/2', '0'],
    ],
    [
      'a waiting init container',
      { inits: [container('first', waiting('ImagePullBackOff'))] },
      ['0/1', 'Init:ImagePullBackOff', '0'],
    ],
    [
      'a failed init container',
      { inits: [container('first', ended(1, { reason: 'Error' }), restarted(5, '2025-12-31T23:57:50Z'))] },
      ['0/1', 'Init:Error', '5 (2m10s ago)'],
    ],
    [
      'the exit code of an init container',
      { inits: [container('first', ended(3))] },
      ['0/1', 'Init:ExitCode:3', '0'],
    ],
    [
      'the signal of an init container',
      { inits: [container('first', ended(3, { signal: 15 }))] },
      ['0/1', 'Init:Signal:15', '0'],
    ],
    [
      'no restarts of finished init containers',
      {
        status: { phase: 'Running' },
        inits: [container('first', ended(0), restarted(2, '2025-12-31T23:55:00Z'))],
        containers: [container('main', running, ready)],
      },
      ['1/1', 'Running', '0'],
    ],
    [
      'the containers of an initialized pod, although an init container runs again',
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
      'Terminating',
      { isDeleting: true, status: { phase: 'Running' }, containers: [container('main', waiting('X'))] },
      ['0/1', 'Terminating', '0'],
    ],
    [
      'the failure of a pod that is being deleted',
      { isDeleting: true, status: { phase: 'Failed' } },
      ['0/1', 'Failed', '0'],
    ],
    [
      'Unknown for a pod that is deleted with its lost node',
      { isDeleting: true, status: { phase: 'Running', reason: 'NodeLost' } },
      ['0/1', 'Unknown', '0'],
    ],
  ])('is %s', (_, facts, cells) => {
    expect(formatted(facts)).toEqual(cells);
  });
});
