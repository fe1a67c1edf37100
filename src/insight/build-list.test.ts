import { describe, expect, it } from 'vitest';
import { annotations, type MachineOSBuild, type MachineOSConfig } from '../api/index.ts';
import type { Pod } from '../kubernetes/types/index.ts';
import { buildList } from './build-list.ts';
import { buildListText, sizeText } from './build-list-text.ts';
import { nextLog } from './followed-log.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const IMAGE = `quay.io/example/os@sha256:${'d'.repeat(64)}`;
const NAME = `infra-${'1'.repeat(32)}`;
const OLD = `infra-${'2'.repeat(32)}`;

const config = (change: { problem?: readonly [string, string]; image?: string; name?: string } = {}) => {
  const { name = 'infra', image, problem } = change;
  const degraded = problem && { type: 'Degraded', status: 'True', reason: problem[0], message: problem[1] };
  return {
    metadata: { name, annotations: { [annotations.currentMachineOSBuild]: NAME } },
    spec: { machineConfigPool: { name } },
    status: {
      ...(image === undefined ? {} : { currentImagePullSpec: image }),
      conditions: degraded ? [degraded] : [],
    },
  } as unknown as MachineOSConfig;
};

type BuildChange = {
  readonly name?: string;
  readonly state?: string;
  readonly message?: string;
  readonly created?: string;
  readonly status?: object;
  readonly annotations?: object;
  readonly deletionTimestamp?: string;
};

const build = (change: BuildChange = {}) =>
  ({
    metadata: {
      name: change.name ?? NAME,
      creationTimestamp: change.created ?? '2026-01-01T11:55:00Z',
      annotations: change.annotations ?? {},
      ...(change.deletionTimestamp === undefined ? {} : { deletionTimestamp: change.deletionTimestamp }),
    },
    spec: { machineOSConfig: { name: 'infra' }, machineConfig: { name: 'rendered-infra-1' } },
    status: {
      conditions:
        change.state === undefined
          ? []
          : [{ type: change.state, status: 'True', reason: 'r', message: change.message ?? 'm' }],
      ...change.status,
    },
  }) as unknown as MachineOSBuild;

const pod = (status: object, name = 'p') =>
  ({
    metadata: { name, uid: `uid-${name}`, labels: { 'batch.kubernetes.io/job-name': `build-${NAME}` } },
    status,
  }) as unknown as Pod;

const list = (change: Partial<Parameters<typeof buildList>[0]> = {}) =>
  buildList({ configs: [config()], builds: [], pods: [], nowMs: NOW, ...change });
const text = (change: Partial<Parameters<typeof buildList>[0]> = {}, width = 100) =>
  buildListText(list(change), { width, hasColors: false });
const succeeded = build({
  state: 'Succeeded',
  annotations: { [annotations.imageSize]: '412345678' },
  status: {
    buildStart: '2026-01-01T11:55:00Z',
    buildEnd: '2026-01-01T11:57:10Z',
    digestedImagePushSpec: IMAGE,
  },
});
const failed = build({
  name: OLD,
  state: 'Failed',
  message: 'Build Failed: RUN install nosuch: exit status 1',
  created: '2026-01-01T11:00:00Z',
  status: { buildStart: '2026-01-01T11:00:00Z', buildEnd: '2026-01-01T11:00:40Z' },
});

describe('the list of builds', () => {
  it('shows state, age, duration, size and the cause of a failure, the newest first', () => {
    expect(text({ configs: [config({ image: IMAGE })], builds: [failed, succeeded] })).toEqual([
      `infra  ${IMAGE}`,
      '    BUILD                                    STATE       AGE   TOOK    SIZE',
      `  * ${NAME}   Succeeded   5m    2m10s   412 MB`,
      `    ${OLD}   Failed      60m   40s     -`,
      '      RUN install nosuch: exit status 1',
    ]);
  });

  it('shows a running build with the time that it has taken, and what its pod waits for', () => {
    const running = build({ state: 'Building', status: { buildStart: '2026-01-01T11:58:00Z' } });
    const waiting = pod({
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' }],
    });
    const pods = [pod({ phase: 'Failed' }, 'first'), waiting];
    expect(text({ builds: [running], pods }).slice(2)).toEqual([
      `  * ${NAME}   Building   5m    2m     -`,
      '      attempt 2 of 4: Unschedulable: 0/3 nodes',
    ]);
  });

  it.each([
    [0, undefined],
    [1, 'attempt 2 of 4'],
    [3, 'attempt 4 of 4'],
    [4, undefined],
  ])('counts no attempt beyond the last one: %d have failed, and the Job runs', (count, expected) => {
    const pods = Array.from({ length: count }, (_, index) => pod({ phase: 'Failed' }, `pod-${index}`));
    const [first] = list({ builds: [build({ state: 'Building' })], pods }).configs;
    expect(first?.builds[0]?.why).toBe(expected);
  });

  it.each([
    ['ImagePullBackOff', 'ImagePullBackOff: no such image'],
    ['PodInitializing', undefined],
  ])('explains a container that waits with %s', (reason, expected) => {
    const waiting = pod({
      phase: 'Pending',
      initContainerStatuses: [
        { name: 'image-build', state: { waiting: { reason, message: 'no such image' } } },
      ],
    });
    const [first] = list({ builds: [build({ state: 'Building' })], pods: [waiting] }).configs;
    expect(first?.builds[0]?.why).toBe(expected);
  });

  it('shows what keeps the first build from being created', () => {
    const problem = ['SecretNotFound', 'secret push is not found'] as const;
    expect(text({ configs: [config({ problem })] })).toEqual([
      'infra  no image yet',
      '    SecretNotFound: secret push is not found',
      '    no builds',
    ]);
  });

  it('does not repeat the failure of a build as a problem of the config', () => {
    const problem = ['BuildFailed', `MachineOSBuild ${OLD}: Build Failed: x`] as const;
    expect(list({ configs: [config({ problem })], builds: [failed] }).configs[0]?.problem).toBeUndefined();
  });

  it('shows builds that are new or being deleted', () => {
    const states = [build(), build({ name: OLD, state: 'Succeeded', deletionTimestamp: 'x' })];
    expect(list({ builds: states }).configs[0]?.builds.map(({ state }) => state)).toEqual([
      'New',
      'Deleting',
    ]);
  });

  it('says that no pool builds images', () => {
    expect(text({ configs: [] })).toEqual(['no MachineOSConfigs: no pool builds its OS image']);
  });

  it('wraps causes and keeps control characters out', () => {
    const evil = build({ state: 'Failed', message: `Build Failed: \u001b[31m${'word '.repeat(40)}` });
    const lines = text({ builds: [evil] }, 60);
    expect(lines.slice(3).every((line) => line.length <= 60)).toBe(true);
    expect(lines.join('')).not.toContain('\u001b');
  });

  it('has colours where the terminal does', () => {
    const lines = buildListText(list({ builds: [succeeded] }), { width: 80, hasColors: true });
    expect(lines.join('\n')).toContain('\u001b[32mSucceeded');
  });

  it('takes broken objects', () => {
    const broken = [
      { metadata: {} },
      { metadata: { name: 'x', annotations: { [annotations.imageSize]: 'x' } } },
    ];
    const objects = { configs: broken as never, builds: broken as never, pods: broken as never };
    expect(list(objects).configs.length).toBe(2);
  });
});

describe('sizeText', () => {
  it.each([
    [undefined, '-'],
    [999, '999 B'],
    [1_000, '1.00 kB'],
    [412_345_678, '412 MB'],
    [41_234_567, '41.2 MB'],
    [1_234_567_890, '1.23 GB'],
  ])('%s is %s', (bytes, expected) => {
    expect(sizeText(bytes)).toBe(expected);
  });
});

describe('nextLog', () => {
  const started = { state: { running: {} } };
  const ended = { state: { terminated: { exitCode: 0 } } };
  const first = pod({
    initContainerStatuses: [
      { name: 'image-build', ...ended },
      { name: 'image-push', ...started },
    ],
    containerStatuses: [{ name: 'create-digest-configmap', state: { waiting: {} } }],
  });

  it('is that of the containers in their order, once each', () => {
    const printed = new Set<string>();
    const names: (string | undefined)[] = [];
    for (let count = 0; count < 3; count++) {
      const log = nextLog([first], printed);
      names.push(log?.container);
      if (log !== undefined) printed.add(log.key);
    }
    expect(names).toEqual(['image-build', 'image-push', undefined]);
  });

  it('is that of the older pod first', () => {
    const older = {
      ...first,
      metadata: { ...first.metadata, name: 'z', creationTimestamp: '2025-01-01T00:00:00Z' },
    };
    const newer = { ...first, metadata: { ...first.metadata, creationTimestamp: '2026-01-01T00:00:00Z' } };
    expect(nextLog([newer, older], new Set())?.pod).toBe('z');
  });
});
