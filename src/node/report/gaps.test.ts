/**
 * Reports after lost reports, a restart of the daemon, or manual changes.
 */
import { describe, expect, it } from 'vitest';
import { NodeLife, noChange } from '../../../test/support/node-life.ts';
import { annotations } from '../../api/index.ts';
import type { Condition } from '../../kubernetes/meta/index.ts';
import { nodeReport } from './node-report.ts';
import type { ProgressEvent } from './progress-event.ts';

const SETTLED = 'True False False False False False False False False False False';

function underWay(): NodeLife {
  const life = NodeLife.settledOn('n', 'old');
  life.sendTo('new');
  life.report({ kind: 'update-found' }, { kind: 'prepared', needsDrain: false });
  return life;
}

function withCondition(life: NodeLife, condition: Condition): void {
  const { status } = life.record;
  const others = status?.conditions?.filter(({ type }) => type !== condition.type) ?? [];
  life.record = { ...life.record, status: { ...status, conditions: [...others, condition] } };
}

const prefetching: Condition = {
  type: 'PinnedImageSetsProgressing',
  status: 'True',
  reason: 'ImagePrefetch',
  message: 'node is prefetching images: n',
  lastTransitionTime: '2025-01-01T00:00:00Z',
};

describe('a report that was never written', () => {
  it('of an update that was found is made up for by the next event', () => {
    const life = NodeLife.settledOn('n', 'old');
    life.sendTo('new');
    life.report({ kind: 'applying', change: noChange });
    expect(life.row()).toBe('False True Unknown False False False Unknown False False False False');
    expect(life.record.status?.configVersion).toEqual({ current: 'old', desired: 'new' });
    expect(life.annotation('state')).toBe('Working');
  });

  it('of a prepared update is made up for with the requested drain', () => {
    const life = NodeLife.settledOn('n', 'old');
    life.sendTo('new');
    life.report({ kind: 'drain-requested', config: 'new' });
    expect(life.condition('UpdatePrepared')?.message).toContain('Drain Required: true');
  });

  it.each<[string, boolean, string]>([
    ['with an OS image', true, ''],
    ['without one', false, 'not '],
  ])('of the applied changes is made up for after the reboot, %s', (_, osImage, not) => {
    const life = underWay();
    life.report({ kind: 'applying', change: { ...noChange, osImage } });
    life.report({ kind: 'rebooted' });
    expect(life.line('AppliedFilesAndOS')).toBe(
      `AppliedFilesAndOS=True UpdateExecutedAppliedFilesAndOS: Applied files and new OS config to node. OS did ${not}need an update. SSH Keys did not need an update`,
    );
    expect(life.condition('UpdateExecuted')?.status).toBe('True');
  });

  it('of a whole update is made up for at its end', () => {
    const life = NodeLife.settledOn('n', 'old');
    life.sendTo('new');
    life.report({ kind: 'completing', config: 'new' });
    expect(life.row()).toBe('False False False False False True False False False False False');
    life.completeDrainRequest();
    life.report({ kind: 'drain-progressed' }, { kind: 'done', config: 'new' }, { kind: 'up-to-date' });
    expect(life.row()).toBe(SETTLED);
    expect(life.record.status?.configVersion).toEqual({ current: 'new', desired: 'new' });
  });

  it('of a failure is made up for from the annotation, with its limit', () => {
    const life = NodeLife.settledOn('n', 'old');
    life.annotate({ [annotations.state]: 'Degraded', [annotations.reason]: 'disk full' });
    life.report();
    expect(life.line('NodeDegraded')).toBe(
      'NodeDegraded=True NodeDegraded: Node n upgrade failure. disk full',
    );
    expect(life.condition('Updated')?.status).toBe('False');
  });
});

describe('a restarted daemon', () => {
  it('writes nothing on an updated node', () => {
    const life = NodeLife.settledOn('n', 'old');
    life.report({ kind: 'done', config: 'old' });
    const progress: readonly ProgressEvent[] = [
      { kind: 'completing', config: 'old' },
      { kind: 'done', config: 'old' },
      { kind: 'started', config: 'old' },
      { kind: 'drain-progressed' },
      { kind: 'up-to-date' },
    ];
    for (const event of progress) {
      expect(life.report(event)).toEqual({ annotations: {}, status: undefined, events: [], failures: [] });
    }
  });

  it('writes only annotations without a MachineConfigNode', () => {
    const { node } = NodeLife.settledOn('n', 'old');
    const report = nodeReport({
      node,
      machineConfigNode: undefined,
      progress: [{ kind: 'failed', error: 'no' }],
      nowMs: 0,
    });
    expect(report).toEqual({
      annotations: { [annotations.state]: 'Degraded', [annotations.reason]: 'no' },
      status: undefined,
      events: [],
      failures: [{ type: 'Warning', reason: 'UpdateFailed', message: 'no' }],
    });
  });
});

describe('another target during an update', () => {
  it('retires the conditions of the abandoned one', () => {
    const life = underWay();
    life.report({ kind: 'applying', change: noChange }, { kind: 'applied', change: noChange });
    life.sendTo('newest');
    withCondition(life, prefetching);
    life.report({ kind: 'update-found', to: 'newest' });
    expect(life.row()).toBe('False False False False False False False False False False False');
    expect(life.condition('UpdateExecuted')?.message).toBe(
      'Action during update to new: Updated the Files and OS on disk as a part of the in progress phase',
    );
    expect(life.condition('PinnedImageSetsProgressing')).toEqual(prefetching);
    expect(life.record.status?.configVersion).toEqual({ current: 'old', desired: 'new' });
    life.report({ kind: 'prepared', needsDrain: false, to: 'newest' });
    expect(life.record.status?.configVersion).toEqual({ current: 'old', desired: 'newest' });
  });

  it('does not change the status before the daemon has found it', () => {
    const life = underWay();
    life.sendTo('newest');
    life.report({ kind: 'applying', change: noChange });
    expect(life.record.status?.configVersion).toEqual({ current: 'old', desired: 'new' });
  });
});

describe('the status', () => {
  it('has the generation that was read, and never an older one', () => {
    const life = NodeLife.settledOn('n', 'old');
    expect(life.record.status?.observedGeneration).toBe(1);
    life.sendTo('new');
    life.report({ kind: 'update-found' });
    expect(life.record.status?.observedGeneration).toBe(2);
    life.record = { ...life.record, status: { ...life.record.status, observedGeneration: 9 } };
    life.report({ kind: 'prepared', needsDrain: false });
    expect(life.record.status?.observedGeneration).toBe(9);
  });

  it('keeps fields that other parts of the daemon write', () => {
    const life = NodeLife.settledOn('n', 'old');
    const others = {
      pinnedImageSets: [{ name: 'a', desiredGeneration: 2 }],
      irreconcilableChanges: [{ fieldPath: 'spec.config.storage.disks[0]', diff: '+ a' }],
    };
    life.record = { ...life.record, status: { ...life.record.status, ...others } };
    life.report({ kind: 'failed', error: 'no' });
    expect(life.record.status).toMatchObject(others);
  });

  it('keeps the conditions of pinned images when an update begins', () => {
    const life = NodeLife.settledOn('n', 'old');
    withCondition(life, prefetching);
    expect(life.report({ kind: 'up-to-date' }).status).toBeUndefined();
    life.sendTo('new');
    life.report({ kind: 'update-found' });
    expect(life.condition('PinnedImageSetsProgressing')).toEqual(prefetching);
  });

  it('treats a name that the API server would reject as unknown', () => {
    const life = NodeLife.settledOn('n', 'old');
    life.annotate({ [annotations.desiredConfig]: 'Not A Name' });
    life.report({ kind: 'prepared', needsDrain: false });
    expect(life.record.status?.configVersion).toEqual({ current: 'old', desired: 'not-yet-set' });
  });

  it('has at most twenty conditions', () => {
    const life = new NodeLife('n');
    const strangers = Array.from({ length: 20 }, (_, index) => ({
      ...prefetching,
      type: `Stranger${index}`,
    }));
    life.record = { ...life.record, status: { conditions: strangers } };
    life.report({ kind: 'update-found' });
    expect(life.record.status?.conditions).toHaveLength(20);
    expect(life.condition('Stranger5')).toBeDefined();
    expect(life.condition('Stranger6')).toBeUndefined();
  });
});
