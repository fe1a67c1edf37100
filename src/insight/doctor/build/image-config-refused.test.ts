import { describe, expect, it } from 'vitest';
import { aCondition, ago, anObject, found } from '../../../../test/support/doctor-facts.ts';
import { imageConfigRefused } from './image-config-refused.ts';

const config = (reason: string, status = 'True') =>
  anObject('MachineOSConfig', 'infra', {
    spec: { machineConfigPool: { name: 'infra' }, renderedImagePushSecret: { name: 'push' } },
    status: { conditions: [aCondition('Degraded', status, 'the message', ago(30), reason)] },
  });

describe('a MachineOSConfig that cannot be built', () => {
  it.each(imageConfigRefused.codes)(
    'is found by the reason of its condition, which is the code: %s',
    (code) => {
      const [finding] = found(imageConfigRefused, [config(code)]);
      expect(finding).toMatchObject({
        code,
        cause: 'no OS image can be built for pool infra: the message',
        pools: ['infra'],
        since: ago(30),
      });
      expect(finding?.next[0]?.command).not.toMatch(/undefined/);
    },
  );

  it.each(['BuildFailed', 'BuildInterrupted', 'AsExpected', ''])(
    'is not one whose reason is %j',
    (reason) => {
      expect(found(imageConfigRefused, [config(reason)])).toEqual([]);
    },
  );

  it('is no longer one once it is mended', () => {
    expect(found(imageConfigRefused, [config('SecretNotFound', 'False')])).toEqual([]);
  });
});
