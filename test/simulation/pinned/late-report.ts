import type { PinnedScenario } from '../pinned-scenario.ts';

export const pinned: PinnedScenario = {
  name: 'a report of a daemon arrives after later ones',
  found:
    'The status of a MachineConfigNode was overwritten by an older report that was still on its way, and claimed an image that the node had left.',
  scenario: {
    seed: 1034,
    nodes: [
      { name: 'master-0', roles: ['master', 'control-plane'], zone: 'zone-0' },
      { name: 'worker-0', roles: ['worker'], zone: 'zone-0' },
      { name: 'worker-1', roles: ['worker'] },
      { name: 'worker-2', roles: ['worker'] },
      { name: 'worker-3', roles: ['worker'], zone: 'zone-1' },
      { name: 'worker-4', roles: ['worker'], zone: 'zone-0' },
    ],
    workloads: [
      { name: 'web', replicas: 3, minAvailable: 2 },
      { name: 'batch', replicas: 2 },
    ],
    times: { bootMs: 67829, shutDownMs: 5000, pullMs: 54532, stageMs: 5000 },
    steps: [
      { atMs: 48199, kind: 'apply os config', pool: 'worker', version: 2 },
      {
        atMs: 48473,
        kind: 'apply config',
        name: '50-change-2',
        role: 'worker',
        content: { kind: 'os image', number: 2 },
      },
      { atMs: 52310, kind: 'refused reboot', node: 'worker-0', ms: 961186 },
      { atMs: 90496, kind: 'apply os config', pool: 'master', version: 2 },
      { atMs: 182086, kind: 'apply os config', pool: 'master', version: 4 },
      {
        atMs: 317349,
        kind: 'bad network',
        ms: 92429,
        conditions: { latencyMs: [1, 200], faults: 0.02, lateMs: 0 },
      },
      { atMs: 400912, kind: 'full disk', node: 'worker-3', ms: 494133 },
      { atMs: 412152, kind: 'full disk', node: 'worker-2', ms: 474204 },
      { atMs: 468501, kind: 'remove node', node: 'worker-2' },
      { atMs: 696259, kind: 'partition', process: 'controller/0', ms: 116689 },
      {
        atMs: 707616,
        kind: 'bad network',
        ms: 511395,
        conditions: { latencyMs: [1, 20], faults: 0.3, lateMs: 2000 },
      },
      { atMs: 801148, kind: 'apply os config', pool: 'master', version: 3 },
      { atMs: 833330, kind: 'pause', pool: 'worker', isPaused: true },
      { atMs: 861399, kind: 'refused reboot', node: 'worker-4', ms: 860347 },
      { atMs: 871253, kind: 'delete os config', pool: 'master' },
      { atMs: 910893, kind: 'partition', process: 'builder/0', ms: 280197 },
      {
        atMs: 949848,
        kind: 'apply config',
        name: '50-change-0',
        role: 'infra',
        content: { kind: 'unit', name: 'app-0.service', text: '[Service]\nExecStart=/usr/bin/true 76\n' },
      },
      { atMs: 1026125, kind: 'builds hang', ms: 438300 },
    ],
    lengthMs: 1080000,
  },
};
