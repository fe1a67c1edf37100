import { describe, expect, it } from 'vitest';
import type { NodeConfigParts } from '../../../test/support/a-node-config.ts';
import { type AMachine, aChange, filesOf, judged } from '../../../test/support/a-preflight.ts';

const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
const CONFIG = '/var/lib/kubelet/config.yaml';
const CPUS = '/var/lib/kubelet/cpu_manager_state';
const MEMORY = '/var/lib/kubelet/memory_manager_state';
const state = (policyName: string) => JSON.stringify({ policyName, defaultCpuSet: '', checksum: 1 });
const reserved = 'reservedSystemCPUs: "0"\n';

function aMachine(files: { readonly [path: string]: string }, flags = ''): AMachine {
  const commandLines = { 'kubelet.service': `/usr/bin/kubelet --config=${CONFIG}${flags}` };
  return { commandLines, files: { [CONFIG]: HEAD, ...files } };
}

const refusals = (to: NodeConfigParts, machine: AMachine) => judged(aChange({}, to), machine).refusals;
const toStatic = filesOf({ [CONFIG]: `${HEAD}${reserved}cpuManagerPolicy: static\n` });

describe('the state of another policy', () => {
  it('is refused, with the unit to add', () => {
    expect(refusals(toStatic, aMachine({ [CPUS]: state('none') }))).toEqual([
      `${CONFIG}: with it, the kubelet would not start: cpuManagerPolicy is static, and ${CPUS} has the state of the policy none (add a unit that deletes the file: Before=kubelet.service, ExecStart=/usr/bin/rm --force ${CPUS})`,
    ]);
  });

  it('is refused of memory too, also on the way back to the default', () => {
    const before = { [CONFIG]: `${HEAD}memoryManagerPolicy: Static\n`, [MEMORY]: state('Static') };
    expect(refusals(filesOf({ [CONFIG]: `${HEAD}maxPods: 5\n` }), aMachine(before))).toEqual([
      expect.stringContaining(
        `memoryManagerPolicy is None, and ${MEMORY} has the state of the policy Static`,
      ),
    ]);
  });

  it('is looked for in the folder of the kubelet', () => {
    const machine = aMachine({ '/data/cpu_manager_state': state('none') }, ' --root-dir=/data/');
    expect(refusals(toStatic, machine)).toEqual([expect.stringContaining(' /data/cpu_manager_state has ')]);
  });

  it.each<[string, NodeConfigParts, AMachine]>([
    ['is not there', toStatic, aMachine({})],
    ['is of the same policy', toStatic, aMachine({ [CPUS]: state('static') })],
    ['cannot be read', toStatic, aMachine({ [CPUS]: 'x' })],
    [
      'was there before with the same policy',
      toStatic,
      aMachine({ [CONFIG]: `${HEAD}cpuManagerPolicy: static\n`, [CPUS]: state('none') }),
    ],
    [
      'is deleted by a unit of the config',
      {
        ...toStatic,
        systemd: {
          units: [
            {
              name: 'clean.service',
              contents: `[Unit]\nBefore=kubelet.service\n[Service]\nExecStart=/usr/bin/rm -f ${CPUS}\n`,
            },
          ],
        },
      },
      aMachine({ [CPUS]: state('none') }),
    ],
  ])('is accepted where it %s', (_, to, machine) => {
    expect(refusals(to, machine)).toEqual([]);
  });
});

describe('reservations beyond the capacity of the node', () => {
  const to = filesOf({ [CONFIG]: `${HEAD}systemReserved:\n  memory: 999Ti\n` });

  it('are refused', () => {
    expect(refusals(to, { ...aMachine({}), capacity: { memory: '16Gi' } })).toEqual([
      `${CONFIG}: with it, the kubelet would not start: systemReserved[memory] reserves 999Ti, more than the memory of the node, which is 16Gi (correct the value)`,
    ]);
  });

  it('are accepted where the capacity is not known', () => {
    expect(refusals(to, aMachine({}))).toEqual([]);
  });

  it('count evictions unless a flag has them ignored', () => {
    const evicting = filesOf({ [CONFIG]: `${HEAD}evictionHard:\n  memory.available: 17Gi\n` });
    const capacity = { memory: '16Gi' };
    expect(refusals(evicting, { ...aMachine({}), capacity })).toHaveLength(1);
    const flag = ' --experimental-allocatable-ignore-eviction';
    expect(refusals(evicting, { ...aMachine({}, flag), capacity })).toEqual([]);
  });
});
