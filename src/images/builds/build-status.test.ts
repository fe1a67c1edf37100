import { describe, expect, it } from 'vitest';
import { annotations, labels, type MachineOSBuild, type MachineOSConfig } from '../../api/index.ts';
import type { Job } from '../../kubernetes/types/index.ts';
import { buildStatus, imageStatus, newBuild, problemStatus } from './build-status.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const IMAGE = `quay.io/example/os@sha256:${'d'.repeat(64)}`;

const config = {
  metadata: { name: 'infra', uid: 'config-uid', generation: 3 },
  spec: {
    machineConfigPool: { name: 'infra' },
    renderedImagePushSecret: { name: 'push' },
    renderedImagePushSpec: 'quay.io/example/os:latest',
  },
} as unknown as MachineOSConfig;

describe('newBuild', () => {
  const inputs = {
    config,
    pool: { metadata: { name: 'infra' }, spec: {} },
    rendered: { metadata: { name: 'rendered-infra-1' }, spec: {} },
  } as unknown as Parameters<typeof newBuild>[0];

  it('belongs to the config, and its tag is its name', () => {
    const build = newBuild(inputs, 'infra-1');
    expect(build.spec).toEqual({
      machineConfig: { name: 'rendered-infra-1' },
      machineOSConfig: { name: 'infra' },
      renderedImagePushSpec: 'quay.io/example/os:infra-1',
    });
    expect(build.metadata).toMatchObject({
      finalizers: ['foregroundDeletion'],
      labels: {
        [labels.targetMachineConfigPool]: 'infra',
        [labels.renderedMachineConfig]: 'rendered-infra-1',
      },
      annotations: { [annotations.renderedImagePushSecret]: 'push' },
      ownerReferences: [
        { kind: 'MachineOSConfig', uid: 'config-uid', controller: true, blockOwnerDeletion: true },
      ],
    });
  });

  it('of a pre-built image keeps the tag of the user, to which nothing is pushed', () => {
    const build = newBuild(inputs, 'infra-1', { isPreBuilt: true });
    expect(build.spec.renderedImagePushSpec).toBe('quay.io/example/os:latest');
    expect(build.metadata.labels?.[labels.preBuiltImageBuild]).toBe('true');
  });
});

describe('buildStatus', () => {
  const OURS = { namespace: 'ours' };
  const build = { metadata: { name: 'infra-1' }, spec: {} } as unknown as MachineOSBuild;
  const job = { metadata: { creationTimestamp: '2026-01-01T11:30:00Z' } } as unknown as Job;
  const times = (status: ReturnType<typeof buildStatus>) => [status.buildStart, status.buildEnd];

  it('begins with the first report, and ends later', () => {
    const building = buildStatus(build, { ...OURS, state: 'Building', job, nowMs: NOW });
    expect(times(building)).toEqual(['2026-01-01T12:00:00Z', undefined]);
    const ended = buildStatus(
      { ...build, status: building },
      { ...OURS, state: 'Failed', job, nowMs: NOW + 300 },
    );
    expect(times(ended)).toEqual(['2026-01-01T12:00:00Z', '2026-01-01T12:00:01Z']);
    const later = buildStatus(
      { ...build, status: ended },
      { ...OURS, state: 'Failed', job, nowMs: NOW + 60_000 },
    );
    expect(times(later)).toEqual(times(ended));
  });

  it('begins with the Job where the first report is the last', () => {
    const status = buildStatus(build, { ...OURS, state: 'Succeeded', image: IMAGE, job, nowMs: NOW });
    expect(times(status)).toEqual(['2026-01-01T11:30:00Z', '2026-01-01T12:00:00Z']);
    expect(status.digestedImagePushSpec).toBe(IMAGE);
  });

  it('ends a second later where the clocks differ', () => {
    const status = buildStatus(build, {
      ...OURS,
      state: 'Failed',
      job,
      nowMs: Date.parse('2026-01-01T11:00:00Z'),
    });
    expect(times(status)).toEqual(['2026-01-01T11:30:00Z', '2026-01-01T11:30:01Z']);
  });

  it('names the Job only where there is one', () => {
    expect(buildStatus(build, { ...OURS, state: 'Failed', nowMs: NOW }).builder).toBeUndefined();
    const { builder, relatedObjects } = buildStatus(build, { ...OURS, state: 'Prepared', job, nowMs: NOW });
    expect(builder?.job).toMatchObject({ namespace: 'ours', name: 'build-infra-1' });
    expect(relatedObjects).toContainEqual(builder?.job);
  });

  it('has an image only after success', () => {
    expect(
      buildStatus(build, { ...OURS, state: 'Failed', image: IMAGE, job, nowMs: NOW }).digestedImagePushSpec,
    ).toBeUndefined();
  });
});

describe('the status of a MachineOSConfig', () => {
  const problem = { reason: 'SecretNotFound', message: 'secret push is not found' };

  it('says what is wrong, since when', () => {
    const first = problemStatus(config, { problem, isObserved: true, nowMs: NOW });
    expect(first).toEqual({
      observedGeneration: 3,
      conditions: [
        { type: 'Degraded', status: 'True', ...problem, lastTransitionTime: '2026-01-01T12:00:00Z' },
      ],
    });
    const other = { reason: 'InvalidSecret', message: 'no data' };
    const next = problemStatus(
      { ...config, status: first },
      { problem: other, isObserved: true, nowMs: NOW + 60_000 },
    );
    expect(next.conditions?.[0]).toMatchObject({ ...other, lastTransitionTime: '2026-01-01T12:00:00Z' });
    const mended = problemStatus(
      { ...config, status: next },
      { problem: undefined, isObserved: true, nowMs: NOW + 60_000 },
    );
    expect(mended.conditions?.[0]).toMatchObject({
      status: 'False',
      lastTransitionTime: '2026-01-01T12:01:00Z',
    });
  });

  it('is observed when the config names the build of its spec, and never goes back', () => {
    const unseen = { problem: undefined, isObserved: false, nowMs: NOW };
    expect(problemStatus(config, unseen).observedGeneration).toBeUndefined();
    expect(problemStatus({ ...config, status: { observedGeneration: 2 } }, unseen).observedGeneration).toBe(
      2,
    );
  });

  it('names the image and its build, and keeps what is wrong', () => {
    const build = { metadata: { name: 'infra-1' } } as unknown as MachineOSBuild;
    const before = problemStatus(config, { problem, isObserved: true, nowMs: NOW });
    expect(imageStatus({ ...config, status: before }, { build, image: IMAGE, nowMs: NOW })).toEqual({
      ...before,
      currentImagePullSpec: IMAGE,
      machineOSBuild: {
        group: 'machineconfiguration.openshift.io',
        resource: 'machineosbuilds',
        name: 'infra-1',
      },
    });
  });
});
