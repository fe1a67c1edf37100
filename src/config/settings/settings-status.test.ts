/** The conditions of KubeletConfigs and ContainerRuntimeConfigs. */
import { describe, expect, it } from 'vitest';
import type { GeneratingObject } from './generating-object.ts';
import { containerRuntimeConfigStatus, kubeletConfigStatus, type Verdict } from './settings-status.ts';

const accepted: Verdict = { kind: 'accepted' };
const refused = (message: string): Verdict => ({ kind: 'refused', message });
const at = (minute: number) => `2025-05-22T12:${String(minute).padStart(2, '0')}:00Z`;

type StatusOf = typeof kubeletConfigStatus;

/** An object with these results in its history, one per minute and generation. */
function withHistory(statusOf: StatusOf, ...verdicts: readonly Verdict[]): GeneratingObject {
  let object: GeneratingObject = { metadata: { name: 'a', generation: 0 }, spec: {} };
  for (const [minute, verdict] of verdicts.entries()) {
    object = { ...object, metadata: { name: 'a', generation: minute + 1 } };
    object = { ...object, status: statusOf(object, verdict, at(minute)) };
  }
  return object;
}

/** `Accepted=False 03 Error: x` */
const lines = ({ status }: GeneratingObject) =>
  (status?.conditions ?? []).map(
    ({ type, status: is, message, lastTransitionTime }) =>
      `${type}=${is} ${lastTransitionTime?.slice(14, 16)} ${message}`,
  );

describe('kubeletConfigStatus', () => {
  it('reports a rejection in Accepted, followed by the legacy condition', () => {
    const object = withHistory(kubeletConfigStatus, refused('Error: x'));
    expect(lines(object)).toEqual(['Accepted=False 00 Error: x', 'Failure=True 00 Error: x']);
  });

  it('keeps the last three conditions and exactly one legacy condition', () => {
    const results = [accepted, refused('Error: a'), accepted, refused('Error: b'), refused('Error: c')];
    expect(lines(withHistory(kubeletConfigStatus, ...results))).toEqual([
      'Accepted=True 02 Success',
      'Accepted=False 03 Error: b',
      'Accepted=False 03 Error: c',
      'Failure=True 03 Error: c',
    ]);
  });

  it('does not repeat an unchanged condition and then changes only the generation', () => {
    const object = withHistory(kubeletConfigStatus, accepted, accepted, accepted);
    expect(lines(object)).toEqual(['Accepted=True 00 Success', 'Success=True 00 Success']);
    expect(object.status?.observedGeneration).toBe(3);
    expect(kubeletConfigStatus(object, accepted, at(50))).toEqual(object.status);
  });
});

describe('containerRuntimeConfigStatus', () => {
  it('appends the result, latest last', () => {
    const results = [accepted, refused('Error: a'), refused('Error: b'), refused('Error: b'), accepted];
    const object = withHistory(containerRuntimeConfigStatus, ...results);
    expect(lines(object)).toEqual([
      'Success=True 00 Success',
      'Failure=True 01 Error: a',
      'Failure=True 01 Error: b',
      'Success=True 04 Success',
    ]);
    expect(containerRuntimeConfigStatus(object, accepted, at(50))).toEqual(object.status);
  });

  it('limits the history', () => {
    const results = Array.from({ length: 30 }, (_, index) => refused(`Error: ${index}`));
    expect(lines(withHistory(containerRuntimeConfigStatus, ...results))).toHaveLength(10);
  });
});
