/**
 * Reports beyond the normal course of an update: as printed by `kubectl describe`, and for failures.
 */
import { describe, expect, it } from 'vitest';
import { aPool } from '../../../test/support/build.ts';
import { NodeLife, noChange } from '../../../test/support/node-life.ts';
import { annotations } from '../../api/index.ts';
import type { Condition } from '../../kubernetes/meta/index.ts';
import { poolStatus, tallyOf, targetOf } from '../../rollout/index.ts';
import { drainRequested, uncordonRequested } from './drain.ts';
import { postActionFailure } from './node-events.ts';
import type { ProgressEvent } from './progress-event.ts';

const drainProgressed: ProgressEvent = { kind: 'drain-progressed' };

const imagesComplete: Condition = {
  type: 'PinnedImageSetsProgressing',
  status: 'False',
  reason: 'AsExpected',
  message: 'All pinned image sets complete',
  lastTransitionTime: '2025-05-22T12:37:28Z',
};
const imagesGood: Condition = {
  ...imagesComplete,
  type: 'PinnedImageSetsDegraded',
  message: 'All is good',
};

/** A node that has just come: its images were looked at before anything else. */
function aNewcomer(name: string, config: string): NodeLife {
  const life = new NodeLife(name).at(imagesComplete.lastTransitionTime);
  life.record = { ...life.record, status: { conditions: [imagesComplete] } };
  const { currentConfig, desiredConfig, state } = annotations;
  life.report({
    kind: 'joined',
    annotations: { [currentConfig]: config, [desiredConfig]: config, [state]: 'Done' },
  });
  const { status } = life.record;
  const conditions =
    status?.conditions?.map((one) => (one.type === imagesGood.type ? imagesGood : one)) ?? [];
  life.record = { ...life.record, status: { ...status, conditions } };
  return life;
}

function settle(life: NodeLife, config: string, time: string): void {
  life.at(time).report({ kind: 'completing', config });
  life.completeDrainRequest();
  life.at(time).report(drainProgressed, { kind: 'done', config });
  life.at(time).report({ kind: 'started', config: '' });
  life.at(time).report({ kind: 'up-to-date' });
}

/** As `describe` prints them: time, status, type, reason and message. */
function described(life: NodeLife): readonly string[] {
  return (life.record.status?.conditions ?? []).map(
    (one) =>
      `${one.lastTransitionTime.slice(11, 19)} ${one.type}=${one.status} ${one.reason}: ${one.message}`,
  );
}

const notYet = (time: string, type: string) =>
  `${time} ${type}=False NotYetOccurred: This node has not yet entered the ${type} phase`;

describe('a node that has just joined', () => {
  const config = 'rendered-worker-e484b6e623b09767d5d8245e01a90a41';
  const name = 'ip-10-0-1-147.ec2.internal';

  it('reports like upstream, without the name of a config in Resumed', () => {
    const life = aNewcomer(name, config);
    life.sendTo(config);
    settle(life, config, '2025-05-22T12:38:20Z');
    const past = `Action during update to ${config}: `;
    expect(described(life)).toEqual([
      '12:37:28 PinnedImageSetsProgressing=False AsExpected: All pinned image sets complete',
      notYet('12:37:28', 'UpdatePrepared'),
      notYet('12:37:28', 'UpdateExecuted'),
      notYet('12:37:28', 'UpdatePostActionComplete'),
      `12:38:20 UpdateComplete=False Uncordoned: ${past}Uncordoned Node as part of completing upgrade phase`,
      `12:38:20 Resumed=False Resumed: ${past}In desired config . Resumed normal operations.`,
      notYet('12:37:28', 'Drained'),
      notYet('12:37:28', 'AppliedFilesAndOS'),
      notYet('12:37:28', 'Cordoned'),
      notYet('12:37:28', 'RebootedNode'),
      `12:38:20 Updated=True Updated: Node ${name} Updated`,
      `12:38:20 Uncordoned=False UpdateCompleteUncordoned: ${past}UnCordoned node. The node is reporting Unschedulable = false`,
      notYet('12:37:28', 'NodeDegraded'),
      '12:37:28 PinnedImageSetsDegraded=False AsExpected: All is good',
    ]);
    expect(life.record.status).toMatchObject({
      configVersion: { current: config, desired: config },
      observedGeneration: 2,
    });
  });

  it('keeps its existing annotations', () => {
    const life = new NodeLife(name, { [annotations.desiredConfig]: 'newer' });
    const { currentConfig, desiredConfig } = annotations;
    const initial = { [currentConfig]: config, [desiredConfig]: config };
    expect(life.report({ kind: 'joined', annotations: initial }).annotations).toEqual({
      [currentConfig]: config,
    });
  });

  it('gets all conditions with the first report', () => {
    const life = new NodeLife(name);
    expect(life.report().status?.conditions?.map(({ type }) => type)).toEqual([
      'PinnedImageSetsProgressing',
      'UpdatePrepared',
      'UpdateExecuted',
      'UpdatePostActionComplete',
      'UpdateComplete',
      'Resumed',
      'Drained',
      'AppliedFilesAndOS',
      'Cordoned',
      'RebootedNode',
      'Updated',
      'Uncordoned',
      'NodeDegraded',
      'PinnedImageSetsDegraded',
    ]);
    expect(life.record.status?.configVersion).toEqual({ desired: 'not-yet-set' });
  });
});

describe('a node that fails', () => {
  const OLD = 'rendered-master-78c005824ab643a5e2ac917f028b570f';
  const NEW = 'rendered-master-7de7db7349148346f2cfd55ca51582cc';
  const name = 'ip-10-0-20-154.ec2.internal';
  const error = 'rename /home/.core1131580553 /home/core: file exists';

  function aFailure(): NodeLife {
    const life = aNewcomer(name, OLD);
    settle(life, OLD, '2025-05-22T12:38:26Z');
    life.sendTo(NEW);
    life
      .at('2025-05-22T14:17:53Z')
      .report(
        { kind: 'update-found', to: NEW },
        { kind: 'prepared', needsDrain: true, to: NEW },
        { kind: 'drain-requested', config: NEW },
      );
    life.at('2025-05-22T14:17:58Z').setDraining();
    life.report(drainProgressed);
    life.completeDrainRequest();
    life.at('2025-05-22T14:20:30Z').report(drainProgressed);
    life.at('2025-05-22T14:20:33Z').report({ kind: 'applying', change: { ...noChange, units: true } });
    life.at('2025-05-22T14:20:35Z').report({ kind: 'failed', error, phase: 'files' });
    return life;
  }

  it('reports its state and the reason like upstream', () => {
    const past = 'Action during update to not-yet-set: ';
    const life = aFailure();
    expect(described(life)).toEqual([
      '12:37:28 PinnedImageSetsProgressing=False AsExpected: All pinned image sets complete',
      '14:17:53 UpdatePrepared=True UpdatePrepared: Update Compatible. Post Cfg Actions: [] Drain Required: true',
      // The time moves with the status alone: since the cordon it is unknown.
      '14:17:58 UpdateExecuted=Unknown AppliedFilesAndOS: Updating the Files and OS on disk as a part of the in progress phase',
      notYet('12:37:28', 'UpdatePostActionComplete'),
      `12:38:26 UpdateComplete=False Uncordoned: ${past}Uncordoned Node as part of completing upgrade phase`,
      `12:38:26 Resumed=False Resumed: ${past}In desired config . Resumed normal operations.`,
      `14:20:30 Drained=True UpdateExecutedDrained: Drained node. The drain is complete as the desired drainer matches current drainer: drain-${NEW}`,
      '14:20:33 AppliedFilesAndOS=Unknown UpdateExecutedAppliedFilesAndOS: Applying files and new OS config to node. OS will not need an update. SSH Keys will not need an update',
      '14:17:58 Cordoned=True UpdateExecutedCordoned: Cordoned node. The node is reporting Unschedulable = true',
      notYet('12:37:28', 'RebootedNode'),
      `14:17:53 Updated=False Updated: Node ${name} needs an update`,
      `12:38:26 Uncordoned=False UpdateCompleteUncordoned: ${past}UnCordoned node. The node is reporting Unschedulable = false`,
      `14:20:35 NodeDegraded=True NodeDegraded: Node ${name} upgrade failure. ${error}`,
      '12:37:28 PinnedImageSetsDegraded=False AsExpected: All is good',
    ]);
    expect(life.record.status?.configVersion).toEqual({ current: OLD, desired: NEW });
  });

  const image =
    'quay.io/sregidor/sregidor-os@sha256:8761d4273f3213f2f9c9b4aa9dbe33aa758f17d691f0f53d2b20f55702c9ef13';

  it.each([error, `Failed to update OS to ${image} after retries: timed out waiting for the condition`])(
    'is quoted by its pool: %s',
    (text) => {
      const life = aFailure();
      life.report({ kind: 'failed', error: text });
      const pool = aPool('master', { configuration: { name: NEW } });
      const sum = tallyOf(targetOf(pool), [life.node], () => life.record);
      const { conditions, degradedMachineCount } = poolStatus({ pool, sum, nowMs: life.nowMs });
      expect(degradedMachineCount).toBe(1);
      expect(conditions).toContainEqual({
        type: 'NodeDegraded',
        status: 'True',
        reason: '1 nodes are reporting degraded status on sync',
        message: `Node ${name} is reporting: "Node ${name} upgrade failure. ${text}", Node ${name} is reporting: "${text}"`,
        lastTransitionTime: expect.any(String),
      });
    },
  );

  it('reports a config that it cannot apply, with an event', () => {
    const life = NodeLife.settledOn('n', 'old');
    life.sendTo('new');
    const text = "can't reconcile config old with new: no";
    const event: ProgressEvent = { kind: 'unreconcilable', from: 'old', to: 'new', error: text };
    expect(life.report(event).events).toEqual([
      { type: 'Warning', reason: 'FailedToReconcile', message: text },
    ]);
    expect(life.line('UpdatePrepared')).toBe(
      `UpdatePrepared=Unknown UpdatePrepared: Update Failed compatibility validation. MachineConfigs old and new are not compatible. Err: ${text}`,
    );
    expect(life.line('NodeDegraded')).toBe(`NodeDegraded=True NodeDegraded: Node n upgrade failure. ${text}`);
    expect([life.annotation('state'), life.annotation('reason')]).toEqual(['Unreconcilable', text]);
    expect(life.report({ kind: 'prepared', needsDrain: false }).annotations).toEqual({});
  });

  it('reports post actions that cannot be determined', () => {
    const life = NodeLife.settledOn('n', 'old');
    life.sendTo('new');
    life.report({ kind: 'actions-unknown', from: 'old', to: 'new', error: 'no policy' });
    expect(life.line('UpdatePrepared')).toBe(
      'UpdatePrepared=Unknown UpdatePrepared: Update Failed compatibility validation. MachineConfigs old and new are not available for update. Error calculating post config change actions: no policy',
    );
    expect([life.annotation('state'), life.annotation('reason')]).toEqual(['Degraded', 'no policy']);
  });

  it.each([
    [true, 'compatible. Err: no'],
    [false, 'available for update. Error: no'],
  ])('reports an update that cannot begin, and not as its target: incompatible %j', (isIncompatible, end) => {
    const life = NodeLife.settledOn('n', 'old');
    life.sendTo('new');
    const reason = 'PreflightConfigDriftCheckFailed';
    const refused = { from: 'old', to: 'new', error: 'no', isIncompatible, event: { reason } } as const;
    expect(life.report({ kind: 'unprepared', ...refused }).events).toEqual([
      { type: 'Warning', reason, message: 'no' },
    ]);
    expect(life.line('UpdatePrepared')).toBe(
      `UpdatePrepared=Unknown UpdatePrepared: Update Failed compatibility validation. MachineConfigs old and new are not ${end}`,
    );
    expect([life.annotation('state'), life.annotation('reason')]).toEqual(['Degraded', 'no']);
    expect(life.record.status?.configVersion).toEqual({ current: 'old', desired: 'old' });
    life.sendTo('other');
    life.report({ kind: 'prepared', needsDrain: false, to: 'other' });
    expect(life.condition('UpdatePrepared')?.status).toBe('True');
    expect(life.record.status?.configVersion).toEqual({ current: 'old', desired: 'other' });
  });

  it('cuts a long error by characters, in the annotation to a lower limit than in the condition', () => {
    const life = NodeLife.settledOn('n', 'old');
    const long = '🛠'.repeat(40_000);
    life.report({ kind: 'failed', error: long });
    expect(life.annotation('reason')).toBe('🛠'.repeat(2000));
    const { message = '' } = life.condition('NodeDegraded') ?? {};
    expect([...message]).toHaveLength(32_768);
    expect(life.report({ kind: 'failed', error: long }).status).toBeUndefined();
  });

  it('is no longer updated once it has drifted', () => {
    const life = NodeLife.settledOn('n', 'old');
    const text = 'content mismatch for file "/etc/foo"';
    const { events } = life.report({ kind: 'failed', error: text, event: { reason: 'ConfigDriftDetected' } });
    expect(events).toEqual([{ type: 'Warning', reason: 'ConfigDriftDetected', message: text }]);
    expect(life.line('NodeDegraded')).toBe(`NodeDegraded=True NodeDegraded: Node n upgrade failure. ${text}`);
    expect(life.line('Updated')).toBe('Updated=False Updated: Node n needs an update');
    expect(life.report({ kind: 'update-found' })).toEqual({
      annotations: {},
      status: undefined,
      events: [],
      failures: [],
    });
    life.report({ kind: 'done', config: 'old' }, { kind: 'up-to-date' });
    expect(life.row()).toBe('True False False False False False False False False False False');
    expect([life.annotation('state'), life.annotation('reason')]).toEqual(['Done', '']);
  });

  it.each<[string, ProgressEvent, readonly string[]]>([
    [
      'a reload',
      { kind: 'failed', ...postActionFailure({ type: 'Reload', service: 'crio.service' }, 'exit status 1') },
      [
        'could not apply update: reloading crio.service configuration failed. Error: exit status 1',
        'FailedServiceReload: Reloading service crio.service failed. Error: exit status 1',
      ],
    ],
    [
      'a restart',
      { kind: 'failed', ...postActionFailure({ type: 'Restart', service: 'a.service' }, 'exit status 1') },
      [
        'could not apply update: restarting a.service service failed. Error: exit status 1',
        'FailedServiceRestart: Restarting a.service service failed. Error: exit status 1',
      ],
    ],
  ])('reports %s that failed', (_, event, expected) => {
    const life = NodeLife.settledOn('n', 'old');
    const { events } = life.report(event);
    expect([life.annotation('reason'), ...events.map((one) => `${one.reason}: ${one.message}`)]).toEqual(
      expected,
    );
    expect(life.line('UpdatePostActionComplete')).toBe(
      `UpdatePostActionComplete=Unknown UpdatePostActionComplete: ${expected[0]}`,
    );
  });

  it.each([false, true])(
    'reports as not applied what a rollback undoes, and no retry as applied before its actions: gate %j',
    (imageModeStatusReporting) => {
      const life = NodeLife.settledOn('n', 'old', { imageModeStatusReporting });
      life.sendTo('new');
      const change = { ...noChange, files: true, kernelArguments: true };
      const action = { type: 'DaemonReload' } as const;
      const failure = {
        kind: 'failed',
        ...postActionFailure({ type: 'Reload', service: 'a.service' }, 'no'),
      } as const;
      const types = imageModeStatusReporting ? ['AppliedFiles', 'AppliedOSImage'] : ['AppliedFilesAndOS'];
      const statuses = () =>
        ['UpdateExecuted', ...types, 'UpdatePostActionComplete'].map((type) => life.condition(type)?.status);
      const all = (status: string, last: string) =>
        ['UpdateExecuted', ...types].map(() => status).concat(last);
      const attempt: readonly ProgressEvent[] = [
        { kind: 'update-found', to: 'new' },
        { kind: 'prepared', needsDrain: false, to: 'new' },
        { kind: 'drain-not-required' },
        { kind: 'applying', change },
        { kind: 'applied', change },
      ];
      life.report(...attempt);
      expect(statuses()).toEqual(all('True', 'False'));
      life.report({ kind: 'post-action-done', action, hasMore: true });
      expect(statuses()).toEqual(all('True', 'Unknown'));
      life.report({ ...failure, rollback: 'begun' });
      life.report({ ...failure, rollback: 'done' });
      expect(statuses()).toEqual(all('Unknown', 'Unknown'));
      for (const event of [...attempt, { kind: 'post-action-done', action, hasMore: true } as const]) {
        expect(life.report(event).status).toBeUndefined();
      }
      expect(life.report({ ...failure, rollback: 'begun' }).status).toBeUndefined();
      life.report({ kind: 'post-action-done', action });
      expect(statuses()).toEqual(all('True', 'True'));
    },
  );

  it('stays degraded during a reboot that repairs it, in the annotation and in the condition', () => {
    const life = aFailure();
    life.report({ kind: 'applied', change: noChange }, { kind: 'rebooting' }, { kind: 'update-succeeded' });
    expect([life.annotation('state'), life.condition('NodeDegraded')?.status]).toEqual(['Degraded', 'True']);
    life.report({ kind: 'rebooted' }, { kind: 'completing', config: NEW });
    life.report({ kind: 'done', config: NEW });
    expect(life.annotation('state')).toBe('Done');
    expect(life.line('NodeDegraded')).toBe(`NodeDegraded=False NodeDegraded: Node ${name} upgrade succeeded`);
  });
});

describe('after an update', () => {
  it.each<[ProgressEvent, string, string]>([
    [
      { kind: 'post-action-done', action: { type: 'Reload', service: 'a.service' } },
      'Node has reloaded service a.service',
      'ServiceReload: Config changes do not require reboot. Service a.service was reloaded.',
    ],
    [
      { kind: 'post-action-done', action: { type: 'Special' } },
      'Node has reloaded service crio',
      'ServiceReload: Config changes do not require reboot. Service crio was reloaded.',
    ],
    [
      { kind: 'post-action-done', action: { type: 'DaemonReload' } },
      'Node has reloaded service daemon-reload',
      'ServiceReload: Config changes do not require reboot. Service daemon-reload was reloaded.',
    ],
    [
      { kind: 'post-action-done', action: { type: 'Restart', service: 'a.service' } },
      'Node has restarted service a.service',
      'ServiceRestart: Config changes do not require reboot. Service a.service was restarted.',
    ],
  ])('reports %j', (event, message, emitted) => {
    const life = NodeLife.settledOn('n', 'old');
    life.sendTo('new');
    const { events } = life.report({ kind: 'update-found' }, event);
    expect(events.map((one) => `${one.reason}: ${one.message}`)).toEqual([emitted]);
    expect(life.line('UpdatePostActionComplete')).toBe(
      `UpdatePostActionComplete=True UpdatePostActionComplete: ${message}`,
    );
  });

  it.each([
    ['in image mode', 'registry.example/os', 'registry.example/os'],
    ['otherwise', undefined, undefined],
  ])('the image of the node is reported %s', (_, image, expected) => {
    const life = NodeLife.settledOn('n', 'old');
    life.annotate({ [annotations.currentImage]: 'registry.example/older', [annotations.desiredImage]: '' });
    life.report({ kind: 'done', config: 'new', ...(image === undefined ? {} : { image }) });
    expect(life.annotation('currentImage')).toBe(expected);
    // The node controller's to change: the API server would refuse the whole patch.
    expect(life.annotation('desiredImage')).toBe('');
  });

  it('a node with another desired config is not reported as updated', () => {
    const life = NodeLife.settledOn('n', 'old');
    life.sendTo('new');
    life.report({ kind: 'update-found' });
    life.report({ kind: 'up-to-date' });
    expect(life.condition('Updated')?.status).toBe('False');
  });
});

describe('a drain', () => {
  it('is requested, and so is the uncordon', () => {
    expect(drainRequested('x')).toEqual({ [annotations.desiredDrain]: 'drain-x' });
    expect(uncordonRequested('x')).toEqual({ [annotations.desiredDrain]: 'uncordon-x' });
  });

  it('that is skipped on a single node reports no cordon', () => {
    const life = NodeLife.settledOn('n', 'old');
    life.sendTo('new');
    life.report({ kind: 'prepared', needsDrain: true }, { kind: 'drain-requested', config: 'new' });
    life.setDraining({ isSkipped: true });
    life.completeDrainRequest();
    const { events } = life.report(drainProgressed);
    expect(events).toEqual([{ type: 'Normal', reason: 'Drain', message: 'Drain not required, skipping' }]);
    expect(life.line('Drained')).toBe(
      'Drained=False UpdateExecutedDrained: Node Drain Not required for this update.',
    );
    expect(life.condition('Cordoned')?.reason).toBe('NotYetOccurred');
  });

  it('of an earlier update is not reported again', () => {
    const life = NodeLife.settledOn('n', 'old');
    expect(life.report(drainProgressed).status).toBeUndefined();
    life.sendTo('new');
    life.report({ kind: 'update-found' }, drainProgressed);
    expect(life.row()).toBe('False False False False False False False False False False False');
  });
});
