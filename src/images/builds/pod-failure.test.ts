import { describe, expect, it } from 'vitest';
import type { Pod } from '../../kubernetes/types/index.ts';
import { podFailure } from './pod-failure.ts';

type Given = {
  readonly phase?: string;
  readonly created?: string;
  readonly init?: readonly object[];
  readonly containers?: readonly object[];
  readonly reason?: string;
  readonly message?: string;
};

const pod = ({ phase = 'Failed', created = '2026-01-01T00:00:00Z', init, containers, ...status }: Given) =>
  ({
    metadata: { name: 'p', creationTimestamp: created },
    status: { phase, initContainerStatuses: init, containerStatuses: containers, ...status },
  }) as unknown as Pod;
const ended = (name: string, exitCode: number, message?: string) => ({
  name,
  state: { terminated: { exitCode, ...(message === undefined ? {} : { message }) } },
});

describe('podFailure', () => {
  it.each<[string, readonly Pod[], string | undefined]>([
    ['is none without pods', [], undefined],
    ['is none while a pod runs', [pod({ phase: 'Running' })], undefined],
    [
      'is the last line of the container that failed',
      [pod({ init: [ended('image-build', 1, 'STEP 1/2: RUN x\nRUN x: exit status 1\n')] })],
      'RUN x: exit status 1',
    ],
    [
      'is that of the first container that failed',
      [pod({ init: [ended('image-build', 0), ended('image-push', 1, 'denied')], containers: [] })],
      'denied',
    ],
    [
      'names the container that said nothing',
      [pod({ containers: [ended('create-digest-configmap', 137)] })],
      'container create-digest-configmap exited with code 137',
    ],
    [
      'is the reason of a pod that was evicted',
      [pod({ reason: 'Evicted', message: 'The node was low on resource: ephemeral-storage.' })],
      'Evicted: The node was low on resource: ephemeral-storage.',
    ],
    ['is never empty', [pod({})], 'its pod failed'],
    [
      'is that of the newest pod',
      [
        pod({ created: '2026-01-01T00:00:01Z', init: [ended('image-build', 1, 'first')] }),
        pod({ created: '2026-01-01T00:00:03Z', init: [ended('image-build', 1, 'third')] }),
        pod({ created: '2026-01-01T00:00:02Z', init: [ended('image-build', 1, 'second')] }),
      ],
      'third',
    ],
  ])('%s', (_, pods, expected) => {
    expect(podFailure(pods)).toBe(expected);
  });

  it('keeps the beginning and the end of a long line', () => {
    const message = `STEP 2/2: RUN ${'x'.repeat(1_500)}: exit status 1: no such package`;
    const text = podFailure([pod({ init: [ended('image-build', 1, message)] })]) ?? '';
    expect(text).toMatch(/^STEP 2\/2: RUN x{186} … x+: exit status 1: no such package$/);
    expect(text.length).toBeLessThan(520);
  });

  it('is one line of a bounded length without control characters', () => {
    const message = `\u001b[31mred\u001b[0m ${'x'.repeat(2_000)}`;
    const text = podFailure([pod({ init: [ended('image-build', 1, message)] })]) ?? '';
    expect(text.length).toBeLessThan(520);
    expect(text).not.toContain('\u001b');
  });
});
