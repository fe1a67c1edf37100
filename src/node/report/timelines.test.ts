/**
 * Updates as people see them go by: `kubectl get machineconfignodes -o wide`, event by event.
 */
import { describe, expect, it } from 'vitest';
import { NodeLife, noChange } from '../../../test/support/node-life.ts';
import type { ProgressEvent } from './progress-event.ts';

const OLD = 'rendered-master-6c320f722eb9ce8bfbd80750dbf70d2e';
const NEW = 'rendered-master-ceedbbb3b533372a501c2410fa554c89';
const N = 'ip-10-0-16-253.ec2.internal';

const osChange = { ...noChange, osImage: true, files: true };
const keyChange = { ...noChange, passwd: true, sshKeys: true };

type Act = readonly ProgressEvent[] | ((life: NodeLife) => void);
type Row = {
  readonly at: string;
  readonly act: Act;
  /** The columns from UPDATED to UNCORDONEDNODE. */
  readonly row: string;
  readonly lines?: readonly string[];
  readonly annotations?: { readonly [annotation: string]: string | undefined };
};

/** Each act is one report at most, and one write of the status at most. */
function expectTimeline(life: NodeLife, rows: readonly Row[]): void {
  for (const { at, act, row, lines = [], annotations: expected = {} } of rows) {
    const before = life.statusWrites;
    if (typeof act === 'function') act(life);
    else life.report(...act);
    expect(life.row(), at).toBe(row);
    expect(life.statusWrites - before, at).toBeLessThanOrEqual(1);
    for (const line of lines) expect(life.line(line.slice(0, line.search(/[= ]/))), at).toBe(line);
    for (const [key, value] of Object.entries(expected)) {
      expect(
        { [key]: life.node.metadata.annotations?.[`machineconfiguration.openshift.io/${key}`] },
        at,
      ).toEqual({
        [key]: value,
      });
    }
  }
}

const drainProgressed: ProgressEvent = { kind: 'drain-progressed' };
const cordoned =
  'Cordoned=True UpdateExecutedCordoned: Cordoned node. The node is reporting Unschedulable = true';
const until = `The drain will not be complete until desired drainer drain-${NEW} matches current drainer uncordon-${OLD}`;

/** From the target to the event when the disk is changed, as every update with a drain begins. */
const beginning = (node: string): readonly Row[] => [
  {
    at: 'before an update',
    act: [{ kind: 'up-to-date' }],
    row: 'True False False False False False False False False False False',
    lines: [`Updated=True Updated: Node ${node} Updated`],
    annotations: { state: 'Done' },
  },
  {
    at: 'once an update is triggered',
    act: (life) => {
      life.sendTo(NEW);
      life.report({ kind: 'update-found', to: NEW });
      expect(life.record.status?.configVersion).toEqual({ current: OLD, desired: OLD });
    },
    row: 'False False False False False False False False False False False',
    lines: [`Updated=False Updated: Node ${node} needs an update`],
    annotations: { state: 'Done' },
  },
  {
    at: 'prepared',
    act: (life) => {
      life.report({ kind: 'prepared', needsDrain: true, to: NEW });
      expect(life.record.status?.configVersion).toEqual({ current: OLD, desired: NEW });
    },
    row: 'False True False False False False False False False False False',
    lines: [
      'UpdatePrepared=True UpdatePrepared: Update Compatible. Post Cfg Actions: [] Drain Required: true',
    ],
    annotations: { state: 'Working' },
  },
  {
    at: 'the drain is asked for',
    act: [{ kind: 'drain-requested', config: NEW }],
    row: 'False True False False False False False False False False False',
    annotations: { desiredDrain: `drain-${NEW}` },
  },
  {
    at: 'cordoned and being drained',
    act: (life) => {
      life.setDraining();
      life.report(drainProgressed);
    },
    row: 'False True Unknown False False False False True Unknown False False',
    lines: [
      'UpdateExecuted=Unknown Drained: Draining Node as part of update executed phase',
      cordoned,
      `Drained=Unknown UpdateExecutedDrained: Draining node. ${until}`,
    ],
  },
  {
    at: 'drained',
    act: (life) => {
      life.completeDrainRequest();
      life.report(drainProgressed);
    },
    row: 'False True Unknown False False False False True True False False',
    lines: [
      'UpdateExecuted=Unknown Drained: Drained Node as part of update executed phase',
      `Drained=True UpdateExecutedDrained: Drained node. The drain is complete as the desired drainer matches current drainer: drain-${NEW}`,
    ],
  },
  {
    at: 'the disk is changed',
    act: [{ kind: 'applying', change: osChange }],
    row: 'False True Unknown False False False Unknown True True False False',
    lines: [
      'UpdateExecuted=Unknown AppliedFilesAndOS: Updating the Files and OS on disk as a part of the in progress phase',
      'AppliedFilesAndOS=Unknown UpdateExecutedAppliedFilesAndOS: Applying files and new OS config to node. OS will need an update. SSH Keys will not need an update',
    ],
  },
];

const uncordonedLines = [
  'UpdateComplete=True Uncordoned: Uncordoned Node as part of completing upgrade phase',
  'Uncordoned=True UpdateCompleteUncordoned: UnCordoned node. The node is reporting Unschedulable = false',
];

describe('the conditions of a node', () => {
  it('follow an update with a reboot', () => {
    const life = NodeLife.settledOn(N, OLD);
    const past = `Action during update to ${NEW}: `;
    expectTimeline(life, [
      ...beginning(N),
      {
        at: 'the disk is as it should be',
        act: [{ kind: 'applied', change: osChange }],
        row: 'False True True False False False True True True False False',
        lines: [
          'UpdateExecuted=True AppliedFilesAndOS: Updated the Files and OS on disk as a part of the in progress phase',
          'AppliedFilesAndOS=True UpdateExecutedAppliedFilesAndOS: Applied files and new OS config to node. OS did need an update. SSH Keys did not need an update',
        ],
      },
      {
        at: 'rebooting',
        act: [{ kind: 'rebooting', config: NEW }, { kind: 'update-succeeded' }],
        row: 'False True True False False False True True True Unknown False',
        lines: [
          'RebootedNode=Unknown RebootedNode: Upgrade requires a reboot.',
          `NodeDegraded=False NodeDegraded: Node ${N} upgrade succeeded`,
        ],
        annotations: { 'post-config-action': 'Rebooting', state: 'Working' },
      },
      {
        at: 'rebooted',
        act: [{ kind: 'rebooted' }, drainProgressed],
        row: 'False True True False False False True True True True False',
        lines: [
          'RebootedNode=True RebootedNode: Node has rebooted',
          'UpdateExecuted=True AppliedFilesAndOS: Updated the Files and OS on disk as a part of the in progress phase',
        ],
        annotations: { 'post-config-action': '' },
      },
      {
        at: 'normal processes are resumed',
        act: [{ kind: 'completing', config: NEW }, drainProgressed],
        row: 'False True True False False True True True True True False',
        lines: [
          `Resumed=True Resumed: In desired config ${NEW}. Resumed normal operations. Applying proper annotations.`,
        ],
        annotations: { desiredDrain: `uncordon-${NEW}` },
      },
      {
        at: 'uncordoned',
        act: (life) => {
          life.completeDrainRequest();
          life.report(drainProgressed);
        },
        row: 'False True True False True True True True True True True',
        lines: uncordonedLines,
        annotations: { state: 'Working', currentConfig: OLD },
      },
      {
        at: 'done',
        act: (life) => {
          life.report({ kind: 'done', config: NEW }, { kind: 'started', config: NEW });
          expect(life.record.status?.configVersion).toEqual({ current: OLD, desired: NEW });
        },
        row: 'False True True False True True True True True True True',
        lines: [`Resumed=True Resumed: In desired config ${NEW}. Resumed normal operations.`],
        annotations: { state: 'Done', currentConfig: NEW, reason: '' },
      },
      {
        at: 'updated',
        act: (life) => {
          life.report({ kind: 'up-to-date' }, drainProgressed);
          expect(life.record.status?.configVersion).toEqual({ current: NEW, desired: NEW });
        },
        row: 'True False False False False False False False False False False',
        lines: [
          `Updated=True Updated: Node ${N} Updated`,
          `UpdatePrepared=False UpdatePrepared: ${past}Update Compatible. Post Cfg Actions: [] Drain Required: true`,
          `UpdateExecuted=False AppliedFilesAndOS: ${past}Updated the Files and OS on disk as a part of the in progress phase`,
          'UpdatePostActionComplete=False NotYetOccurred: This node has not yet entered the UpdatePostActionComplete phase',
          `UpdateComplete=False Uncordoned: ${past}Uncordoned Node as part of completing upgrade phase`,
          `Resumed=False Resumed: ${past}In desired config ${NEW}. Resumed normal operations.`,
          `Cordoned=False UpdateExecutedCordoned: ${past}Cordoned node. The node is reporting Unschedulable = true`,
          `Drained=False UpdateExecutedDrained: ${past}Drained node. The drain is complete as the desired drainer matches current drainer: drain-${NEW}`,
          `RebootedNode=False RebootedNode: ${past}Node has rebooted`,
          `Uncordoned=False UpdateCompleteUncordoned: ${past}UnCordoned node. The node is reporting Unschedulable = false`,
          `NodeDegraded=False NodeDegraded: Node ${N} upgrade succeeded`,
        ],
      },
    ]);
    expect(life.events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`)).toEqual([
      'Normal Cordon: Cordoned node to apply update',
      'Normal Drain: Draining node to update config.',
      `Normal Reboot: Node will reboot into config ${NEW}`,
      `Normal Uncordon: Update completed for config ${NEW} and node has been uncordoned`,
      `Normal NodeDone: Setting node ${N}, currentConfig ${NEW} to Done`,
    ]);
  });

  it('follow an update without drain and reboot', () => {
    const life = NodeLife.settledOn(N, OLD);
    expectTimeline(life, [
      ...beginning(N).slice(0, 2),
      {
        at: 'prepared',
        act: [{ kind: 'prepared', needsDrain: false, to: NEW }],
        row: 'False True False False False False False False False False False',
        lines: [
          'UpdatePrepared=True UpdatePrepared: Update Compatible. Post Cfg Actions: [] Drain Required: false',
        ],
        annotations: { state: 'Working' },
      },
      {
        at: 'no drain',
        act: [{ kind: 'drain-not-required' }, drainProgressed],
        row: 'False True Unknown False False False False False False False False',
        lines: [
          'UpdateExecuted=Unknown Drained: Node Drain Not required for this update.',
          'Drained=False UpdateExecutedDrained: Node Drain Not required for this update.',
          'Cordoned=False NotYetOccurred: This node has not yet entered the Cordoned phase',
        ],
      },
      {
        at: 'the disk is changed',
        act: [{ kind: 'applying', change: keyChange }, drainProgressed],
        row: 'False True Unknown False False False Unknown False False False False',
        lines: [
          'AppliedFilesAndOS=Unknown UpdateExecutedAppliedFilesAndOS: Applying files and new OS config to node. OS will not need an update. SSH Keys will need an update',
        ],
      },
      {
        at: 'the disk is as it should be',
        act: [{ kind: 'applied', change: keyChange }],
        row: 'False True True False False False True False False False False',
        lines: [
          'AppliedFilesAndOS=True UpdateExecutedAppliedFilesAndOS: Applied files and new OS config to node. OS did not need an update. SSH Keys did need an update',
        ],
      },
      {
        at: 'nothing more to do',
        act: [{ kind: 'post-action-done', action: { type: 'None' } }],
        row: 'False True True True False False True False False False False',
        lines: ['UpdatePostActionComplete=True None: Changes do not require a reboot'],
      },
      {
        at: 'normal processes are resumed',
        act: [{ kind: 'completing', config: NEW }],
        row: 'False True True True False True True False False False False',
        annotations: { desiredDrain: `uncordon-${NEW}` },
      },
      {
        at: 'uncordoned, although it never was cordoned',
        act: (life) => {
          life.completeDrainRequest();
          life.report(drainProgressed);
        },
        row: 'False True True True True True True False False False True',
        lines: uncordonedLines,
      },
      {
        at: 'done',
        act: [{ kind: 'done', config: NEW }],
        row: 'False True True True True True True False False False True',
        annotations: { state: 'Done', currentConfig: NEW, reason: '' },
      },
      {
        at: 'succeeded',
        act: [{ kind: 'update-succeeded' }],
        row: 'False True True True True True True False False False True',
        lines: [`NodeDegraded=False NodeDegraded: Node ${N} upgrade succeeded`],
      },
      {
        at: 'updated',
        act: [{ kind: 'up-to-date' }],
        row: 'True False False False False False False False False False False',
        lines: [
          'RebootedNode=False NotYetOccurred: This node has not yet entered the RebootedNode phase',
          `UpdatePostActionComplete=False None: Action during update to ${NEW}: Changes do not require a reboot`,
        ],
      },
    ]);
    expect(life.events.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
      'SkipReboot: Config changes do not require reboot.',
      `Uncordon: Update completed for config ${NEW} and node has been uncordoned`,
      `NodeDone: Setting node ${N}, currentConfig ${NEW} to Done`,
    ]);
  });

  const failing = 'False True Unknown False False False Unknown True True False False';

  it.each([
    ['a file that cannot be written', 'rename /home/.core1131580553 /home/core: file exists', 'files'],
    [
      'an image that cannot be had',
      'Failed to update OS to quay.io/a/os@sha256:87 after retries: timed out waiting for the condition',
      'os',
    ],
  ] as const)('stay where %s stops the node, until the config is reverted', (_, error, phase) => {
    const life = NodeLife.settledOn(N, OLD);
    const failed: ProgressEvent = { kind: 'failed', error, phase };
    const degraded = `NodeDegraded=True NodeDegraded: Node ${N} upgrade failure. ${error}`;
    const pastFailure = `NodeDegraded=True NodeDegraded: Action during update to ${NEW}: Node ${N} upgrade failure. ${error}`;
    expectTimeline(life, [
      ...beginning(N),
      {
        at: 'failed',
        act: [failed],
        row: failing,
        lines: [
          degraded,
          'UpdatePrepared=True UpdatePrepared: Update Compatible. Post Cfg Actions: [] Drain Required: true',
          'UpdateExecuted=Unknown AppliedFilesAndOS: Updating the Files and OS on disk as a part of the in progress phase',
        ],
        annotations: { state: 'Degraded', reason: error, currentConfig: OLD },
      },
    ]);
    const afterFailure = life.record;
    const retry: readonly ProgressEvent[] = [
      { kind: 'update-found', to: NEW },
      { kind: 'prepared', needsDrain: true, to: NEW },
      { kind: 'drain-requested', config: NEW },
      drainProgressed,
      { kind: 'applying', change: osChange },
      failed,
    ];
    for (const event of retry) {
      const message = `Update to ${NEW} failed: ${error}`;
      expect(life.report(event), event.kind).toEqual({
        annotations: {},
        status: undefined,
        events: [],
        failures: event === failed ? [{ type: 'Warning', reason: 'UpdateFailed', message }] : [],
      });
    }
    expect(life.record).toEqual(afterFailure);
    expectTimeline(life, [
      {
        at: 'the config is reverted',
        act: (life) => {
          life.sendTo(OLD);
          life.report({ kind: 'update-found', to: OLD }, drainProgressed);
        },
        row: 'False False False False False False False False False False False',
        lines: [
          pastFailure,
          `Cordoned=False UpdateExecutedCordoned: Action during update to ${NEW}: Cordoned node. The node is reporting Unschedulable = true`,
        ],
        annotations: { state: 'Degraded', reason: error },
      },
      {
        at: 'nothing is to be changed',
        act: [
          { kind: 'prepared', needsDrain: false, to: OLD },
          { kind: 'drain-not-required' },
          { kind: 'applying', change: noChange },
          { kind: 'applied', change: noChange },
          { kind: 'post-action-done', action: { type: 'None' } },
          { kind: 'completing', config: OLD },
        ],
        row: 'False True True True False True True False False False False',
        lines: [pastFailure],
        annotations: { state: 'Degraded', desiredDrain: `uncordon-${OLD}` },
      },
      {
        at: 'done',
        act: (life) => {
          life.completeDrainRequest();
          life.report(drainProgressed, { kind: 'done', config: OLD }, { kind: 'update-succeeded' });
        },
        row: 'False True True True True True True False False False True',
        lines: [`NodeDegraded=False NodeDegraded: Node ${N} upgrade succeeded`],
        annotations: { state: 'Done', reason: '', currentConfig: OLD },
      },
      {
        at: 'updated',
        act: [{ kind: 'up-to-date' }],
        row: 'True False False False False False False False False False False',
      },
    ]);
  });
});
