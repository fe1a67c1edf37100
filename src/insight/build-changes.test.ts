import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { annotations, type MachineOSBuild } from '../api/index.ts';
import { buildChanges } from './build-changes.ts';

const NAME = `infra-${'1'.repeat(32)}`;
const IMAGE = `quay.io/example/os@sha256:${'d'.repeat(64)}`;

type Change = {
  readonly uid?: string;
  readonly message?: string;
  readonly hasJob?: boolean;
  readonly isDeleting?: boolean;
};

const build = (state?: string, change: Change = {}) =>
  ({
    metadata: {
      name: NAME,
      uid: change.uid ?? '1',
      annotations: change.hasJob === false ? {} : { [annotations.jobUid]: 'job' },
      labels: { 'machineconfiguration.openshift.io/target-machine-config-pool': 'infra' },
      ...(change.isDeleting === true ? { deletionTimestamp: '2026-01-01T12:01:00Z' } : {}),
    },
    spec: { machineOSConfig: { name: 'infra' } },
    status: {
      conditions:
        state === undefined ? [] : [{ type: state, status: 'True', message: change.message ?? 'Build' }],
      ...(state === 'Succeeded' ? { digestedImagePushSpec: IMAGE } : {}),
      buildStart: '2026-01-01T12:00:00Z',
      buildEnd: '2026-01-01T12:00:12Z',
    },
  }) as unknown as MachineOSBuild;

const STARTED = `infra: building OS image ${NAME}`;
const BUILT = `infra: OS image ${NAME} is built in 12s: sha256:dddddddddddd`;
const SUBJECT = `infra: the build of OS image ${NAME}`;
const failed = build('Failed', { message: 'Build Failed: RUN false:\n exit status 1' });
const interrupted = build('Interrupted', { message: 'Build Interrupted: its Job was deleted' });

describe('buildChanges', () => {
  // biome-ignore format: a table, one row per line
  it.each<[string, readonly MachineOSBuild[] | undefined, readonly MachineOSBuild[], readonly string[]]>([
    ['a build that waits for its Job', [], [build()], []],
    ['a build that starts', [build()], [build('Prepared')], [STARTED]],
    ['a build that is first seen when it runs', [], [build('Building')], [STARTED]],
    ['a build that runs on', [build('Prepared')], [build('Building')], []],
    ['a build that succeeds', [build('Building')], [build('Succeeded')], [BUILT]],
    ['a build that was so fast that its start was not seen', [], [build('Succeeded')], [BUILT]],
    ['a build that has succeeded before', [build('Succeeded')], [build('Succeeded')], []],
    ['a build that takes over an image', [build()], [build('Succeeded', { hasJob: false })], []],
    ['a build that fails, in one line', [build('Building')], [failed], [`${SUBJECT} failed: RUN false: exit status 1`]],
    ['a build that has failed before', [failed], [failed], []],
    ['a wrong Containerfile, which has no Job', [build()], [build('Failed', { hasJob: false, message: 'Build Failed: line 2' })], [`${SUBJECT} failed: line 2`]],
    ['a build that is interrupted', [build('Building')], [interrupted], [`${SUBJECT} was interrupted: its Job was deleted`]],
    ['a running build that is being deleted', [build('Building')], [build('Building', { isDeleting: true })], [`${SUBJECT} was stopped`]],
    ['a running build that is gone', [build('Building')], [], [`${SUBJECT} was stopped`]],
    ['a stopped build that is gone at last', [build('Building', { isDeleting: true })], [], []],
    ['a successful build that is deleted', [build('Succeeded')], [], []],
    ['a failed build that is repeated under its name', [failed], [build('Building', { uid: '2' })], [STARTED]],
    ['a running build that is repeated under its name', [build('Building')], [build('Building', { uid: '2' })], [`${SUBJECT} was stopped`, STARTED]],
    ['the first look at a running build', undefined, [build('Building')], [STARTED]],
    ['the first look at a failed build', undefined, [failed], [`${SUBJECT} failed: RUN false: exit status 1`]],
    ['the first look at a successful build', undefined, [build('Succeeded')], []],
  ])('tells of %s', (_, before, after, expected) => {
    expect(buildChanges(before, after)).toEqual(expected);
  });

  it('shortens the output of a step that a cause quotes', () => {
    const [line = ''] = buildChanges(
      [],
      [build('Failed', { message: `Build Failed: ${'x '.repeat(2000)}` })],
    );
    expect(line.length).toBeLessThanOrEqual(500);
  });

  it('never throws for malformed objects, and prints no control characters', () => {
    const junk = fc.oneof(
      fc.anything(),
      fc.record({
        metadata: fc.oneof(fc.anything(), fc.record({ name: fc.string() })),
        status: fc.anything(),
      }),
    );
    const list = fc.array(junk) as unknown as fc.Arbitrary<readonly MachineOSBuild[]>;
    fc.assert(
      fc.property(list, list, (before, after) => {
        for (const line of buildChanges(before, after)) expect(line).not.toMatch(/\p{Cc}/u);
      }),
    );
  });
});
