import { describe, expect, it } from 'vitest';
import { virtualEnv } from '../../../test/support/virtual-env.ts';
import { annotations, type MachineConfigNode } from '../../api/index.ts';
import { formatMetrics, Metrics } from '../../kubernetes/metrics/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';
import { PHASE_DURATION, UPDATE_DURATION } from './definitions.ts';
import { UpdatePhases } from './update-phases.ts';

const node: Node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'a', annotations: { [annotations.currentConfig]: 'v0' } },
  spec: {},
};

/** Conditions as `Type=Status`, all since the same second. */
function record(text: string, sinceMs: number): MachineConfigNode {
  const conditions = text.split(' ').map((one) => {
    const [type = '', status = ''] = one.split('=');
    const lastTransitionTime = new Date(sinceMs).toISOString();
    return { type, status: status as 'True', reason: type, message: '', lastTransitionTime };
  });
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfigNode',
    metadata: { name: 'a' },
    spec: { node: { name: 'a' }, pool: { name: 'worker' }, configVersion: { desired: 'v1' } },
    status: { conditions },
  };
}

type Marks = { readonly [annotation: string]: string };

function world() {
  const { clock } = virtualEnv();
  const metrics = new Metrics([PHASE_DURATION, UPDATE_DURATION]);
  const phases = new UpdatePhases(metrics, clock);
  const pool = 'worker';
  const show = (text: string, sinceMs: number = clock.now(), marks: Marks = {}) => {
    const metadata = { ...node.metadata, annotations: { ...node.metadata.annotations, ...marks } };
    phases.onChange('a', { node: { ...node, metadata }, record: record(text, sinceMs), pool });
  };
  const sums = () =>
    formatMetrics([metrics])
      .split('\n')
      .filter((line) => /_(sum|count)\{/.test(line));
  return { clock, phases, show, sums };
}

describe('UpdatePhases', () => {
  it('times each phase of an update, and the whole', async () => {
    const { clock, phases, show, sums } = world();
    show('Updated=True');
    show('Updated=False');
    await clock.advance(2_000);
    show('Updated=False UpdatePrepared=True UpdateExecuted=Unknown Drained=Unknown');
    await clock.advance(40_000);
    show('Updated=False UpdateExecuted=Unknown Drained=True AppliedFilesAndOS=Unknown');
    await clock.advance(3_000);
    show('Updated=False UpdateExecuted=True RebootedNode=Unknown');
    expect(phases.readings()).toEqual([
      { labels: { node: 'a', pool: 'worker', phase: 'rebooting' }, value: Math.floor(clock.now() / 1_000) },
    ]);
    await clock.advance(90_000);
    show('Updated=False RebootedNode=True');
    await clock.advance(1_000);
    show('Updated=True');
    expect(sums()).toEqual(
      expect.arrayContaining([
        'millwright_node_update_phase_seconds_sum{pool="worker",phase="preparing"} 2',
        'millwright_node_update_phase_seconds_sum{pool="worker",phase="draining"} 40',
        'millwright_node_update_phase_seconds_sum{pool="worker",phase="applying-files-and-os"} 3',
        'millwright_node_update_phase_seconds_sum{pool="worker",phase="rebooting"} 90',
        'millwright_node_update_phase_seconds_sum{pool="worker",phase="resuming"} 1',
        'millwright_node_update_phase_seconds_count{pool="worker",phase="resuming"} 1',
        'millwright_node_update_seconds_count{pool="worker"} 1',
      ]),
    );
    expect(phases.readings()).toEqual([]);
  });

  it('repeated events of the same phase count once', async () => {
    const { clock, show, sums } = world();
    for (let count = 0; count < 5; count++) {
      show('Updated=False Drained=Unknown');
      await clock.advance(1_000);
    }
    show('Updated=False RebootedNode=Unknown');
    expect(sums()).toEqual([
      'millwright_node_update_phase_seconds_sum{pool="worker",phase="draining"} 5',
      'millwright_node_update_phase_seconds_count{pool="worker",phase="draining"} 1',
    ]);
  });

  it('counts each phase once although the uncordon is answered before the daemon reports that it has resumed', async () => {
    const { clock, show, sums } = world();
    const asked = (verb: string, answer: string) => ({
      [annotations.desiredConfig]: 'v1',
      [annotations.desiredDrain]: `${verb}-v1`,
      [annotations.lastAppliedDrain]: `${answer}-v1`,
    });
    const steps: readonly (readonly [conditions: string, marks: Marks])[] = [
      ['Updated=False RebootedNode=True', asked('drain', 'drain')],
      ['Updated=False RebootedNode=True', asked('uncordon', 'drain')],
      ['Updated=False RebootedNode=True', asked('uncordon', 'uncordon')],
      ['Updated=False RebootedNode=True Resumed=True', asked('uncordon', 'uncordon')],
      ['Updated=False UpdateComplete=True Resumed=True', asked('uncordon', 'uncordon')],
      ['Updated=True', asked('uncordon', 'uncordon')],
    ];
    for (const [conditions, marks] of steps) {
      show(conditions, clock.now(), marks);
      await clock.advance(1_000);
    }
    expect(sums().filter((line) => line.includes('phase_seconds_count'))).toEqual(
      ['resuming', 'uncordoning', 'finishing'].map(
        (phase) => `millwright_node_update_phase_seconds_count{pool="worker",phase="${phase}"} 1`,
      ),
    );
  });

  it('takes the beginning of a phase from the object where the controller was not there', async () => {
    const { clock, show, sums } = world();
    show('Updated=False Drained=Unknown', clock.now() - 30_000);
    await clock.advance(5_000);
    show('Updated=False RebootedNode=Unknown');
    expect(sums()[0]).toBe('millwright_node_update_phase_seconds_sum{pool="worker",phase="draining"} 35');
  });

  it('counts nothing for a node that is gone, and keeps no memory of it', async () => {
    const { clock, phases, show, sums } = world();
    show('Updated=False Drained=Unknown');
    await clock.advance(5_000);
    phases.onChange('a', undefined);
    expect(sums()).toEqual([]);
    expect(phases.readings()).toEqual([]);
  });

  it('never counts negative time', async () => {
    const { clock, show, sums } = world();
    show('Updated=False Drained=Unknown', clock.now() + 60_000);
    show('Updated=False RebootedNode=Unknown');
    expect(sums()[0]).toBe('millwright_node_update_phase_seconds_sum{pool="worker",phase="draining"} 0');
  });
});
