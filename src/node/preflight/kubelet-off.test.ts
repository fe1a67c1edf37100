import { describe, expect, it } from 'vitest';
import type { NodeConfigParts } from '../../../test/support/a-node-config.ts';
import { type AMachine, aChange, judged } from '../../../test/support/a-preflight.ts';

const units = (...given: object[]): NodeConfigParts => ({ systemd: { units: given } }) as NodeConfigParts;
const RUNNING: AMachine = {
  units: ['kubelet.service'],
  unitFacts: { 'kubelet.service': { isEnabled: true } },
  commandLines: { 'kubelet.service': '/usr/bin/kubelet --kubeconfig=/a' },
};

function refusals(to: NodeConfigParts, machine: AMachine = RUNNING, from: NodeConfigParts = {}) {
  return judged(aChange(from, to), machine).refusals;
}

describe('a kubelet that the config masks', () => {
  it('is refused, with what to do', () => {
    expect(refusals(units({ name: 'kubelet.service', mask: true }))).toEqual([
      'kubelet.service: the config masks it, so the kubelet would not start again (remove mask from the config)',
    ]);
  });

  it.each(['k3s.service', 'k3s-agent.service', 'rke2-server.service', 'rke2-agent.service'])(
    'is refused where it belongs to %s',
    (name) => {
      const to = units({ name, mask: true });
      expect(refusals(to, { units: [name], commandLines: { [name]: '/usr/bin/k3s agent' } })).toHaveLength(1);
      expect(refusals(to, { units: [name] })).toEqual([]);
    },
  );

  it.each<[string, NodeConfigParts, AMachine, NodeConfigParts]>([
    [
      'was masked on the node before',
      units({ name: 'kubelet.service', mask: true }),
      { units: ['kubelet.service'], unitFacts: { 'kubelet.service': { isMasked: true } } },
      {},
    ],
    [
      'is masked by the old config too',
      units({ name: 'kubelet.service', mask: true }, { name: 'a.service', mask: true }),
      RUNNING,
      units({ name: 'kubelet.service', mask: true }),
    ],
    ['is not on the node', units({ name: 'kubelet.service', mask: true }), {}, {}],
    [
      'is replaced by another kubelet',
      units(
        { name: 'kubelet.service', mask: true },
        { name: 'k3s-agent.service', enabled: true, contents: '[Service]\nExecStart=/usr/bin/k3s agent\n' },
      ),
      RUNNING,
      {},
    ],
    ['is another unit', units({ name: 'a.service', mask: true }), RUNNING, {}],
  ])('is accepted where it %s', (_, to, machine, from) => {
    expect(refusals(to, machine, from)).toEqual([]);
  });
});

describe('a kubelet that the config disables', () => {
  const disabled = { name: 'kubelet.service', enabled: false };

  it('is refused where it is enabled on the node', () => {
    expect(refusals(units(disabled))).toEqual([
      'kubelet.service: the config disables it, and it is enabled on the node, so the kubelet would not start again (set enabled: true, or leave it out)',
    ]);
  });

  it('is accepted where it was not enabled before, and something else starts it', () => {
    const { commandLines = {} } = RUNNING;
    expect(refusals(units(disabled), { units: ['kubelet.service'], commandLines })).toEqual([]);
  });

  it('is accepted where another unit of the config starts it', () => {
    const starter = {
      name: 'a.service',
      contents: '[Unit]\nWants=kubelet.service\n[Service]\nExecStart=/a\n',
    };
    expect(refusals(units(disabled, starter))).toEqual([]);
  });
});
