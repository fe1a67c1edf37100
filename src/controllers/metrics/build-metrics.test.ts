import { describe, expect, it } from 'vitest';
import { virtualEnv } from '../../../test/support/virtual-env.ts';
import { annotations, type MachineOSBuild, type MachineOSConfig } from '../../api/index.ts';
import { formatMetrics, Metrics } from '../../kubernetes/metrics/index.ts';
import type { BuildSources } from '../builds/build-sources.ts';
import { declareBuilds, measureBuild } from './build-metrics.ts';
import { BUILDER_METRICS } from './definitions.ts';

const config = {
  metadata: { name: 'infra' },
  spec: { machineConfigPool: { name: 'infra-pool' } },
} as unknown as MachineOSConfig;
const sources = { configs: { get: () => config } } as unknown as BuildSources;
const START = Date.UTC(2026, 0, 1);
const at = (seconds: number) => new Date(START + seconds * 1_000).toISOString();

function build(state: string, status: object = {}, hasJob = true): MachineOSBuild {
  return {
    metadata: {
      name: 'b',
      creationTimestamp: at(0),
      annotations: hasJob ? { [annotations.jobUid]: 'u' } : {},
    },
    spec: { machineOSConfig: { name: 'infra' } },
    status: { conditions: [{ type: state, status: 'True' }], ...status },
  } as unknown as MachineOSBuild;
}

function world() {
  const { clock } = virtualEnv();
  const metrics = new Metrics(BUILDER_METRICS);
  const context = { metrics, env: { clock: { ...clock, now: () => START + 20_000 }, log: console as never } };
  const lines = () => formatMetrics([metrics]).split('\n');
  return { context, lines };
}

describe('measureBuild', () => {
  it('counts a build once when it ends, with its duration', () => {
    const { context, lines } = world();
    const building = build('Building', { buildStart: at(10) });
    const failed = build('Failed', { buildStart: at(10), buildEnd: at(100) });
    measureBuild(context, sources, { before: undefined, after: building });
    measureBuild(context, sources, { before: building, after: failed });
    measureBuild(context, sources, { before: failed, after: failed });
    measureBuild(context, sources, { before: failed, after: undefined });
    expect(lines()).toEqual(
      expect.arrayContaining([
        'ocl_build_total{pool="infra-pool",state="failed"} 1',
        'ocl_build_duration_seconds_sum{pool="infra-pool",state="failed"} 90',
        'ocl_image_push_total{pool="infra-pool",state="failed"} 1',
        'ocl_image_push_duration_seconds_sum{pool="infra-pool",state="failed"} 90',
      ]),
    );
  });

  it('times how long a build waited for its Job', () => {
    const { context, lines } = world();
    measureBuild(context, sources, { before: build('Prepared'), after: build('Building') });
    expect(lines()).toContain('ocl_build_queue_duration_seconds_sum{pool="infra-pool"} 20');
  });

  it('counts no push for a build that took over an image', () => {
    const { context, lines } = world();
    const [before, after] = [build('Initial', {}, false), build('Succeeded', {}, false)];
    measureBuild(context, sources, { before, after });
    expect(lines()).toContain('ocl_build_total{pool="infra-pool",state="succeeded"} 1');
    expect(lines().join()).not.toContain('ocl_image_push_total{');
  });

  it('has counters at 0 before the first build ends, so that its failure is an increase', () => {
    const { context, lines } = world();
    declareBuilds(context, config);
    expect(lines()).toContain('ocl_build_total{pool="infra-pool",state="failed"} 0');
  });
});
