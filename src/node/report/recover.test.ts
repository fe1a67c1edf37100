/** A node that has its config although it failed: its conditions are again those of the last update. */
import { describe, expect, it } from 'vitest';
import { NodeLife, noChange } from '../../../test/support/node-life.ts';
import { annotations } from '../../api/index.ts';
import type { ProgressEvent } from './progress-event.ts';

const found = (to: string): ProgressEvent => ({ kind: 'update-found', to });
const prepared = (to: string, needsDrain = false): ProgressEvent => ({ kind: 'prepared', needsDrain, to });
const RECOVERED: readonly ProgressEvent[] = [{ kind: 'recovered' }, { kind: 'up-to-date' }];

/** With a drain and a reboot, or without both. */
function updatedTo(life: NodeLife, config: string, needsDrain: boolean): void {
  life.sendTo(config);
  life.report(found(config), prepared(config, needsDrain));
  if (needsDrain) {
    life.report({ kind: 'drain-requested', config });
    life.setDraining();
    life.report({ kind: 'drain-progressed' });
    life.completeDrainRequest();
    life.report({ kind: 'drain-progressed' });
  } else {
    life.report({ kind: 'drain-not-required' });
  }
  life.report({ kind: 'applying', change: noChange }, { kind: 'applied', change: noChange });
  if (needsDrain) life.report({ kind: 'rebooting', config }, { kind: 'rebooted' });
  else life.report({ kind: 'post-action-done', action: { type: 'None' } });
  life.report({ kind: 'completing', config });
  life.completeDrainRequest();
  life.report({ kind: 'drain-progressed' }, { kind: 'done', config });
  life.report({ kind: 'update-succeeded' }, { kind: 'up-to-date' });
}

/** Everything but the times. */
function reported({ record }: NodeLife): unknown {
  const conditions = (record.status?.conditions ?? []).map(({ lastTransitionTime: _, ...rest }) => rest);
  return { ...record.status, conditions, observedGeneration: 0 };
}

const LIVES: readonly (readonly [string, () => NodeLife])[] = [
  ['has never been updated', () => NodeLife.settledOn('n', 'a')],
  ...[true, false].flatMap((needsDrain) =>
    [true, false].map((imageModeStatusReporting): readonly [string, () => NodeLife] => [
      `was updated ${needsDrain ? 'with' : 'without'} a drain, gate ${imageModeStatusReporting}`,
      () => {
        const life = NodeLife.settledOn('n', 'old', { imageModeStatusReporting });
        updatedTo(life, 'a', needsDrain);
        return life;
      },
    ]),
  ),
];

const refusal = { from: 'a', to: 'b', error: 'no' };
const REFUSALS: readonly ProgressEvent[] = [
  { kind: 'unprepared', ...refusal, isIncompatible: true, event: { reason: 'PreflightRefused' } },
  { kind: 'unprepared', ...refusal },
  { kind: 'unreconcilable', ...refusal },
  { kind: 'actions-unknown', ...refusal },
];

describe('a node whose refused update is no longer desired', () => {
  it.each(LIVES.flatMap(([title, aLife]) => REFUSALS.map((event) => [title, event, aLife] as const)))(
    'reports as if it had never been asked where it %s: %j',
    (_, event, aLife) => {
      const life = aLife();
      const before = reported(life);
      life.sendTo('b');
      life.report(found('b'), event);
      expect(life.condition('Updated')?.status).toBe('False');
      life.sendTo('a');
      const { events } = life.report(...RECOVERED);
      expect(reported(life)).toEqual(before);
      expect([life.annotation('state'), life.annotation('reason')]).toEqual(['Done', '']);
      expect(events).toEqual([
        { type: 'Normal', reason: 'NodeDone', message: 'Setting node n, currentConfig a to Done' },
      ]);
      expect(life.report(...RECOVERED)).toMatchObject({ annotations: {}, status: undefined, events: [] });
    },
  );

  it('reports as if it had never been asked where it was prepared and has done nothing yet', () => {
    const life = NodeLife.settledOn('n', 'old');
    updatedTo(life, 'a', true);
    const before = reported(life);
    life.sendTo('b');
    life.report(found('b'), prepared('b'));
    life.sendTo('a');
    life.report({ kind: 'recovered' }, { kind: 'up-to-date' });
    expect(reported(life)).toEqual(before);
  });

  it('keeps what was executed of it, with its name, and names no other', () => {
    const life = NodeLife.settledOn('n', 'old');
    updatedTo(life, 'a', true);
    life.sendTo('b');
    const failure: ProgressEvent = { kind: 'failed', error: 'no', phase: 'post-action', rollback: 'begun' };
    life.report(found('b'), prepared('b'), { kind: 'drain-not-required' });
    life.report({ kind: 'applying', change: noChange }, { kind: 'applied', change: noChange }, failure);
    life.sendTo('a');
    life.report(...RECOVERED);
    const past = (config: string) =>
      (life.record.status?.conditions ?? [])
        .filter(({ message }) => message.startsWith(`Action during update to ${config}: `))
        .map(({ type }) => type);
    expect(past('b')).toEqual([
      ...['UpdatePrepared', 'UpdateExecuted', 'UpdatePostActionComplete', 'Drained', 'AppliedFilesAndOS'],
    ]);
    expect(past('a')).toEqual(['UpdateComplete', 'Resumed', 'Cordoned', 'RebootedNode', 'Uncordoned']);
    expect(life.line('NodeDegraded')).toBe('NodeDegraded=False NodeDegraded: Node n upgrade succeeded');
    expect(life.row()).toBe('True False False False False False False False False False False');
  });

  it('keeps a refusal that followed the download of its OS image, with its name', () => {
    const life = NodeLife.settledOn('n', 'old');
    updatedTo(life, 'a', true);
    life.sendTo('b');
    life.report(found('b'), prepared('b', true), { kind: 'fetching', image: 'registry.example/os' });
    life.report({ kind: 'unprepared', ...refusal, isIncompatible: true });
    life.sendTo('a');
    life.report(...RECOVERED);
    expect(life.line('UpdateExecuted')).toMatch(/False .*: Action during update to b: Fetching OS image/);
    expect(life.line('UpdatePrepared')).toBe(
      'UpdatePrepared=False UpdatePrepared: Action during update to b: Update Failed compatibility validation. MachineConfigs a and b are not compatible. Err: no',
    );
  });
});

describe('a node on which a manual change was undone', () => {
  it('reports as before the change', () => {
    const life = NodeLife.settledOn('n', 'old');
    updatedTo(life, 'a', true);
    const before = reported(life);
    life.report({ kind: 'failed', error: 'content mismatch for file "/etc/foo"' });
    life.report(found('a'), { kind: 'failed', error: 'content mismatch for file "/etc/foo"' });
    expect(life.condition('NodeDegraded')?.status).toBe('True');
    life.report(...RECOVERED);
    expect(reported(life)).toEqual(before);
    expect(life.node.metadata.annotations?.[annotations.state]).toBe('Done');
  });
});
