/**
 * Messages that are about the update in progress, and about no other.
 */
import { describe, expect, it } from 'vitest';
import { NodeLife, noChange } from '../../../test/support/node-life.ts';
import type { ProgressEvent } from './progress-event.ts';

const A: ProgressEvent = { kind: 'update-found', to: 'a' };
const B: ProgressEvent = { kind: 'update-found', to: 'b' };
const prepared = (to: string): ProgressEvent => ({ kind: 'prepared', needsDrain: false, to });
const failed = (error: string): ProgressEvent => ({ kind: 'failed', error });

function updatedTo(life: NodeLife, config: string): void {
  life.sendTo(config);
  life.report({ kind: 'update-found', to: config }, prepared(config), { kind: 'drain-not-required' });
  life.report({ kind: 'applying', change: noChange }, { kind: 'applied', change: noChange });
  life.report({ kind: 'completing', config });
  life.completeDrainRequest();
  life.report({ kind: 'drain-progressed' }, { kind: 'done', config });
  life.report({ kind: 'update-succeeded' }, { kind: 'up-to-date' });
}

describe('AppliedFilesAndOS', () => {
  it.each([
    ['files', { files: true }, 'will not need', 'will not need'],
    ['units', { units: true }, 'will not need', 'will not need'],
    ['a password', { passwd: true }, 'will not need', 'will not need'],
    ['SSH keys', { passwd: true, sshKeys: true }, 'will not need', 'will need'],
    ['the OS image', { osImage: true }, 'will need', 'will not need'],
    ['extensions and SSH keys', { extensions: true, sshKeys: true }, 'will need', 'will need'],
  ])('says of a change of %s what it needs', (_, change, os, keys) => {
    const life = NodeLife.settledOn('n', 'old');
    life.sendTo('a');
    life.report(A, prepared('a'), { kind: 'applying', change: { ...noChange, ...change } });
    expect(life.condition('AppliedFilesAndOS')?.message).toBe(
      `Applying files and new OS config to node. OS ${os} an update. SSH Keys ${keys} an update`,
    );
    life.report({ kind: 'applied', change: { ...noChange, ...change } });
    const did = (text: string) => text.replace('will', 'did');
    expect(life.condition('AppliedFilesAndOS')?.message).toBe(
      `Applied files and new OS config to node. OS ${did(os)} an update. SSH Keys ${did(keys)} an update`,
    );
  });
});

describe('the desired config in the status', () => {
  const desired = (life: NodeLife) => life.record.status?.configVersion?.desired;

  it('moves once the new config was validated, not before', () => {
    const life = NodeLife.settledOn('n', 'old');
    life.sendTo('a');
    life.report(A);
    expect(desired(life)).toBe('old');
    life.report(prepared('a'));
    expect(desired(life)).toBe('a');
  });

  it.each<[string, ProgressEvent]>([
    ['cannot be followed', { kind: 'unreconcilable', from: 'old', to: 'a', error: 'no' }],
    ['has actions that are unknown', { kind: 'actions-unknown', from: 'old', to: 'a', error: 'no' }],
    ['is not looked at because of drift', failed('content mismatch for file "/etc/foo"')],
  ])('stays where the new config %s, also in retries', (_, event) => {
    const life = NodeLife.settledOn('n', 'old');
    life.sendTo('a');
    expect(life.report(A, event).status?.configVersion?.desired).toBe('old');
    expect(life.report(A, event)).toMatchObject({ annotations: {}, status: undefined });
  });

  it('moves with the first report of a step where the report of the validation is missing', () => {
    const life = NodeLife.settledOn('n', 'old');
    life.sendTo('a');
    life.report(A);
    life.report({ kind: 'applying', change: noChange });
    expect(desired(life)).toBe('a');
  });
});

describe('NodeDegraded', () => {
  it('says that the last update succeeded until the next one begins', () => {
    const life = NodeLife.settledOn('n', 'old');
    updatedTo(life, 'a');
    expect(life.line('NodeDegraded')).toBe('NodeDegraded=False NodeDegraded: Node n upgrade succeeded');
    life.sendTo('b');
    life.report(B);
    expect(life.line('NodeDegraded')).toBe(
      'NodeDegraded=False NodeDegraded: Action during update to a: Node n upgrade succeeded',
    );
    updatedTo(life, 'b');
    expect(life.line('NodeDegraded')).toBe('NodeDegraded=False NodeDegraded: Node n upgrade succeeded');
  });

  it('names the update that failed while the update to another config is in progress', () => {
    const life = NodeLife.settledOn('n', 'old');
    life.sendTo('a');
    life.report(A, prepared('a'), failed('disk full'));
    life.report(A, prepared('a'));
    expect(life.line('NodeDegraded')).toBe(
      'NodeDegraded=True NodeDegraded: Node n upgrade failure. disk full',
    );
    life.sendTo('b');
    life.report(B, prepared('b'));
    expect(life.line('NodeDegraded')).toBe(
      'NodeDegraded=True NodeDegraded: Action during update to a: Node n upgrade failure. disk full',
    );
    expect(life.annotation('state')).toBe('Degraded');
    life.report(failed('disk full'));
    expect(life.line('NodeDegraded')).toBe(
      'NodeDegraded=True NodeDegraded: Node n upgrade failure. disk full',
    );
    updatedTo(life, 'b');
    expect(life.line('NodeDegraded')).toBe('NodeDegraded=False NodeDegraded: Node n upgrade succeeded');
  });

  it('names a config that could not be followed while the update to another one is in progress', () => {
    const life = NodeLife.settledOn('n', 'old');
    life.sendTo('a');
    life.report(A, { kind: 'unreconcilable', from: 'old', to: 'a', error: 'no' });
    life.sendTo('b');
    life.report(B);
    expect(life.line('NodeDegraded')).toBe(
      'NodeDegraded=True NodeDegraded: Action during update to a: Node n upgrade failure. no',
    );
    expect(life.line('UpdatePrepared')).toBe(
      'UpdatePrepared=False UpdatePrepared: Action during update to a: Update Failed compatibility validation. MachineConfigs old and a are not compatible. Err: no',
    );
  });
});

describe('a drain that was not required', () => {
  it('is marked as one of the past at the end of its update', () => {
    const life = NodeLife.settledOn('n', 'old');
    updatedTo(life, 'a');
    const past =
      'Drained=False UpdateExecutedDrained: Action during update to a: Node Drain Not required for this update.';
    expect(life.line('Drained')).toBe(past);
    life.sendTo('b');
    life.report(B);
    expect(life.line('Drained')).toBe(past);
  });

  it('is marked as one of the past where its update is given up', () => {
    const life = NodeLife.settledOn('n', 'old');
    life.sendTo('a');
    life.report(A, prepared('a'), { kind: 'drain-not-required' });
    life.sendTo('b');
    life.report(B);
    expect(life.line('Drained')).toBe(
      'Drained=False UpdateExecutedDrained: Action during update to a: Node Drain Not required for this update.',
    );
  });
});

describe('conditions that are independent of updates', () => {
  it('stay as they are when an update begins and ends', () => {
    const life = NodeLife.settledOn('n', 'old');
    const good = {
      type: 'PinnedImageSetsDegraded',
      status: 'False',
      reason: 'AsExpected',
      message: 'All is good',
      lastTransitionTime: '2025-01-01T00:00:00Z',
    } as const;
    const others = life.record.status?.conditions?.filter(({ type }) => type !== good.type) ?? [];
    life.record = { ...life.record, status: { ...life.record.status, conditions: [...others, good] } };
    updatedTo(life, 'a');
    expect(life.condition(good.type)).toEqual(good);
  });
});
