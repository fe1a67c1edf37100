import { describe, expect, it } from 'vitest';
import { ownNamespace } from './namespace-option.ts';
import type { Ports } from './ports.ts';

describe('ownNamespace', () => {
  it.each([
    [{ namespace: 'given' }, { POD_NAMESPACE: 'pod' }, 'given'],
    [{}, { POD_NAMESPACE: 'pod' }, 'pod'],
    [{}, { POD_NAMESPACE: '' }, 'openshift-machine-config-operator'],
    [{}, {}, 'openshift-machine-config-operator'],
  ])('of the flags %j and the environment %j is %s', (options, environment, expected) => {
    expect(ownNamespace(options, { environment } as unknown as Ports)).toBe(expected);
  });
});
