import type { PinnedScenario } from '../pinned-scenario.ts';

export const pinned: PinnedScenario = {
  name: 'a state that a daemon gave up to report arrives after its reboot',
  found:
    'The patch of a Node that was on its way when the machine rebooted overwrote Done with Working a minute later, and nothing woke the daemon: the pool was never Updated again.',
  scenario: {
    seed: 167,
    nodes: [
      { name: 'master-0', roles: ['master', 'control-plane'], zone: 'zone-0' },
      { name: 'master-1', roles: ['master', 'control-plane'], zone: 'zone-1' },
      { name: 'master-2', roles: ['master', 'control-plane'], zone: 'zone-0' },
      { name: 'worker-0', roles: ['worker'] },
      { name: 'worker-1', roles: ['worker'], zone: 'zone-1' },
      { name: 'worker-2', roles: ['worker'] },
    ],
    workloads: [
      { name: 'web', replicas: 2, minAvailable: 1 },
      { name: 'batch', replicas: 2 },
    ],
    times: { bootMs: 21421, shutDownMs: 5000, pullMs: 59599, stageMs: 5000 },
    steps: [
      {
        atMs: 5993,
        kind: 'apply config',
        name: '50-change-0',
        role: 'worker',
        content: { kind: 'os image', number: 0 },
      },
      { atMs: 75794, kind: 'partition', process: 'daemon/worker-2', ms: 254553 },
      { atMs: 150204, kind: 'power cut at write', node: 'master-0', ms: 135524, call: 128, when: 'before' },
      { atMs: 724243, kind: 'full disk', node: 'worker-0', ms: 520832 },
      { atMs: 924212, kind: 'power cut at write', node: 'worker-1', ms: 84576, call: 42, when: 'within' },
      {
        atMs: 1153811,
        kind: 'apply config',
        name: '50-change-0',
        role: 'worker',
        content: { kind: 'os image', number: 2 },
      },
      { atMs: 1182747, kind: 'full disk', node: 'worker-1', ms: 250601 },
      {
        atMs: 1318733,
        kind: 'bad network',
        ms: 327226,
        conditions: { latencyMs: [1, 20], faults: 0.1, lateMs: 20000 },
      },
      { atMs: 1327426, kind: 'power cut at write', node: 'master-2', ms: 222104, call: 142, when: 'within' },
      { atMs: 1384663, kind: 'partition', process: 'operator/0', ms: 176346 },
      {
        atMs: 1604000,
        kind: 'apply config',
        name: '50-change-0',
        role: 'master',
        content: { kind: 'file', path: '/etc/app-1.conf', text: 'value 70\n' },
      },
    ],
    lengthMs: 2400000,
  },
};
