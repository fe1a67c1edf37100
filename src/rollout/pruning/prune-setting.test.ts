import { describe, expect, it } from 'vitest';
import { pruneSetting } from './prune-setting.ts';

const KEY = 'millwright.dev/prune-rendered-configs';
const withValue = (value: string | undefined) => ({
  metadata: { name: 'x', ...(value !== undefined && { annotations: { [KEY]: value } }) },
});

describe('whether the controller prunes a pool', () => {
  it.each([
    [undefined, undefined, { kind: 'off' }],
    ['3', undefined, { kind: 'keep', count: 3 }],
    [undefined, '10', { kind: 'keep', count: 10 }],
    ['0', '10', { kind: 'keep', count: 0 }],
    ['never', '10', { kind: 'off' }],
    [undefined, 'never', { kind: 'off' }],
    ['1000', undefined, { kind: 'keep', count: 1000 }],
  ])('of pool %j and of the cluster %j is %j', (pool, cluster, expected) => {
    expect(pruneSetting(withValue(pool), withValue(cluster))).toEqual(expected);
  });

  it.each(['', '-1', '1.5', '1001', 'five', '99999999999999999999', ' 5'])(
    'is not done with the value %j, and the message says what to write',
    (value) => {
      const message = `annotation ${KEY} is ${JSON.stringify(value)}: write how many of the newest rendered configs are kept, 0 to 1000, or never; until then nothing is pruned`;
      expect(pruneSetting(withValue(value), withValue('5'))).toEqual({
        kind: 'invalid',
        of: 'pool',
        message,
      });
      expect(pruneSetting(withValue(undefined), withValue(value))).toEqual({
        kind: 'invalid',
        of: 'cluster',
        message,
      });
    },
  );

  it('works without a MachineConfiguration', () => {
    expect(pruneSetting(withValue('5'), undefined)).toEqual({ kind: 'keep', count: 5 });
    expect(pruneSetting(withValue(undefined), undefined)).toEqual({ kind: 'off' });
  });
});
