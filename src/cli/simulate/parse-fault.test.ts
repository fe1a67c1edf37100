import { describe, expect, it } from 'vitest';
import { parseFault } from './parse-fault.ts';

describe('--fault', () => {
  it.each([
    ['node-lost=worker-3', { kind: 'node-lost', node: 'worker-3' }],
    ['node-down=worker-3', { kind: 'node-down', node: 'worker-3' }],
    ['slow-node=worker-3', { kind: 'slow-node', node: 'worker-3', factor: 3 }],
    ['slow-node=worker-3:10', { kind: 'slow-node', node: 'worker-3', factor: 10 }],
    ['disk-full=ip-10-0-1-2.example', { kind: 'disk-full', node: 'ip-10-0-1-2.example' }],
    ['registry-down=10m', { kind: 'registry-down', ms: 600_000 }],
    ['controller-crash', { kind: 'controller-crash' }],
    ['controller-crash=90s', { kind: 'controller-crash', ms: 90_000 }],
  ])('reads %s', (text, fault) => {
    // It is shown as it was given.
    expect(parseFault(text)).toEqual({ text, whatIf: fault });
  });

  it.each([
    ['node-los=worker-3', 'did you mean node-lost?'],
    ['node-lost', 'node-lost=NODE'],
    ['slow-node=worker-3:0', 'three times as slow'],
    ['slow-node=:4', 'needs a value'],
    ['registry-down=soon', 'is not a duration'],
    ['registry-down=-5m', 'is negative'],
    ['controller-crash=-1s', 'is negative'],
    ['registry-down=9000h', 'at most 168h'],
    ['', 'faults: node-lost, '],
  ])('refuses %j and says what is wrong', (text, message) => {
    expect(() => parseFault(text)).toThrow(message);
  });
});
