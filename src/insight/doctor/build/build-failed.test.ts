import { describe, expect, it } from 'vitest';
import { aPool } from '../../../../test/support/build.ts';
import { aCondition, ago, anObject, found } from '../../../../test/support/doctor-facts.ts';
import { buildFailed } from './build-failed.ts';

const TARGET = 'rendered-infra-1';
const pool = aPool('infra', { configuration: { name: TARGET } });
const config = (...conditions: readonly object[]) =>
  anObject('MachineOSConfig', 'infra', {
    spec: { machineConfigPool: { name: 'infra' } },
    status: { conditions },
  });
const build = (message: string, state = 'Failed') =>
  anObject('MachineOSBuild', 'infra-1', {
    spec: { machineOSConfig: { name: 'infra' }, machineConfig: { name: TARGET } },
    status: { conditions: [aCondition(state, 'True', message, ago(40), 'Failed')] },
  });
const FROM =
  'STEP 1/9: FROM r.example/os AS extract: creating build container: initializing source docker://r.example/os';

describe('a failed build is named by its last line', () => {
  it.each([
    ['DeadlineExceeded: Job was active longer than specified deadline', 'BuildTimedOut'],
    ['Evicted: The node was low on resource: ephemeral-storage.', 'BuildPodEvicted'],
    ['configmaps "digest-infra-1" is forbidden: User "x" cannot patch', 'DigestNotReported'],
    ['read digestfile: it is empty', 'DigestNotReported'],
    ['pushing the image: unauthorized: authentication required', 'ImagePushFailed'],
    ['pushing the image: dial tcp: i/o timeout', 'ImagePushFailed'],
    [`${FROM}: pinging container registry r.example: dial tcp: no such host`, 'BaseRegistryUnreachable'],
    [`${FROM}: x509: certificate signed by unknown authority`, 'BaseRegistryUnreachable'],
    [`${FROM}: unauthorized: authentication required`, 'BaseImageUnauthorized'],
    [`${FROM}: reading manifest v1 in r.example/os: manifest unknown`, 'BaseImageNotFound'],
    ['STEP 9/10: RUN curl https://x: exit status 6: could not resolve host: no such host', 'BuildStepFailed'],
    ['STEP 9/10: RUN dnf install x: exit status 1: unauthorized', 'BuildStepFailed'],
    ['the built image is no OS image: end with FROM configs', 'BuildStepFailed'],
    ['container image-build exited with code 137', 'BuildFailed'],
    ['', 'BuildFailed'],
  ])('%s', (message, code) => {
    const [finding] = found(buildFailed, [pool, config(), build(`Build Failed: ${message}`)]);
    expect(finding).toMatchObject({
      code,
      about: { kind: 'MachineOSBuild', name: 'infra-1' },
      since: ago(40),
    });
    expect(finding?.cause).toContain(message);
  });

  it('also while the next attempt has not begun', () => {
    const degraded = aCondition(
      'Degraded',
      'True',
      'MachineOSBuild infra-1: Build Failed: STEP 2: RUN x: exit status 1',
      ago(9),
      'BuildFailed',
    );
    expect(found(buildFailed, [pool, config(degraded)])).toMatchObject([
      { code: 'BuildStepFailed', about: { kind: 'MachineOSConfig', name: 'infra' }, since: ago(9) },
    ]);
  });

  it('and not while the next one runs, nor where the Containerfile itself is wrong', () => {
    const degraded = (reason: string) => aCondition('Degraded', 'True', 'm', ago(9), reason);
    expect(found(buildFailed, [pool, config(degraded('BuildFailed')), build('', 'Building')])).toEqual([]);
    expect(found(buildFailed, [pool, config(degraded('InvalidContainerfile')), build('')])).toEqual([]);
  });
});
