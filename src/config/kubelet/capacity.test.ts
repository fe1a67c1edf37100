import { describe, expect, it } from 'vitest';
import { capacityProblems } from './capacity.ts';

const CAPACITY = { memory: '16Gi', cpu: '4', 'ephemeral-storage': '100Gi', pods: '110' };
const texts = (config: object, capacity: object = CAPACITY) =>
  capacityProblems({ ...config }, { ...capacity }).map(({ path, message }) => `${path} ${message}`);

describe('reservations', () => {
  it.each<[string, object, string]>([
    [
      'of memory for the system',
      { systemReserved: { memory: '999Ti' } },
      'systemReserved[memory] reserves 999Ti, more than the memory of the node, which is 16Gi',
    ],
    [
      'that are too much together',
      { systemReserved: { cpu: '2' }, kubeReserved: { cpu: '2001m' } },
      'systemReserved[cpu] reserves 2 and kubeReserved[cpu] 2001m, more than the cpu of the node, which is 4',
    ],
    [
      'that are too much with an eviction',
      { kubeReserved: { memory: '15Gi' }, evictionHard: { 'memory.available': '10%' } },
      'kubeReserved[memory] reserves 15Gi and evictionHard[memory.available] 10%, more than the memory of the node, which is 16Gi',
    ],
    [
      'of storage',
      { evictionHard: { 'nodefs.available': '101Gi' } },
      'evictionHard[nodefs.available] reserves 101Gi, more than the ephemeral-storage of the node, which is 100Gi',
    ],
  ])('exceed the node: %s', (_, config, text) => {
    expect(texts(config)).toEqual([text]);
  });

  it.each<[string, object]>([
    ['are the whole node', { systemReserved: { cpu: '4', memory: '8Gi' }, kubeReserved: { memory: '8Gi' } }],
    ['are process IDs', { systemReserved: { pid: '99999999' } }],
    ['are replaced by reserved CPUs', { systemReserved: { cpu: '9' }, reservedSystemCPUs: '0-1' }],
    [
      'are storage that is not isolated',
      { systemReserved: { 'ephemeral-storage': '1Ti' }, localStorageCapacityIsolation: false },
    ],
    [
      'meet an eviction that is turned off',
      { kubeReserved: { memory: '15Gi' }, evictionHard: { 'memory.available': '100%' } },
    ],
    ['are absent', {}],
  ])('are accepted where they %s', (_, config) => {
    expect(texts(config)).toEqual([]);
  });

  it('are not judged where the capacity is not known', () => {
    expect(texts({ systemReserved: { memory: '999Ti' } }, {})).toEqual([]);
    expect(texts({ systemReserved: { memory: '999Ti' } }, { memory: 5 })).toHaveLength(1);
  });
});
