import { expect, it } from 'vitest';
import { Fleet, NEW } from '../../test/support/a-fleet.ts';
import { noChange } from '../../test/support/node-life.ts';
import { overdueReboot, REBOOT_LIMIT_MS } from './overdue-reboot.ts';
import { statusText } from './status-text.ts';

const BEGAN = '2026-01-01T12:00:00Z';
const BEGAN_MS = Date.parse(BEGAN);
const notReady = { message: 'Kubelet stopped posting node status.', since: BEGAN };

it.each([
  ['in time', { phase: 'rebooting', phaseSince: BEGAN, notReady }, REBOOT_LIMIT_MS - 1, undefined],
  [
    'with a machine that is gone',
    { phase: 'rebooting', phaseSince: BEGAN, notReady },
    REBOOT_LIMIT_MS,
    'machine',
  ],
  ['with a kubelet but no daemon', { phase: 'rebooting', phaseSince: BEGAN }, REBOOT_LIMIT_MS, 'daemon'],
  ['without a MachineConfigNode', { phase: 'rebooting', notReady }, REBOOT_LIMIT_MS, 'machine'],
  ['without any time', { phase: 'rebooting' }, REBOOT_LIMIT_MS, undefined],
  [
    'not at all, but draining',
    { phase: 'draining', phaseSince: BEGAN, notReady },
    REBOOT_LIMIT_MS,
    undefined,
  ],
] as const)('judges a node that reboots %s', (_, reboot, afterMs, expected) => {
  expect(overdueReboot(reboot, BEGAN_MS + afterMs)).toBe(expected);
});

function rebooting(): Fleet {
  const fleet = new Fleet().pool('worker', 2, { configuration: { name: NEW } });
  fleet.send('worker-0');
  fleet.report('worker-0', { kind: 'prepared', needsDrain: false }, { kind: 'applying', change: noChange });
  fleet.report('worker-0', { kind: 'applied', change: noChange }, { kind: 'rebooting' });
  fleet.kubelet('worker-0', { isReady: false });
  return fleet;
}
const textOf = (fleet: Fleet) => statusText(fleet.status(), { width: 160, hasColors: false });

it('says so of a node that has not come back, counts it in its pool, and shows where to look', () => {
  const fleet = rebooting();
  expect(textOf(fleet.pass(599)).join('\n')).not.toContain('come back');
  const lines = textOf(fleet.pass(241));
  expect(lines[0]).toMatch(/1 not back from its reboot$/);
  expect(lines).toContain('  worker-0  has not come back from its reboot for 14m: look at its console');
  expect(lines).toContain('kubectl describe node worker-0  # when it was last seen');
  const [pool] = fleet.status().pools;
  expect(pool?.counts).toMatchObject({ overdue: 1, unavailable: 1 });
  expect(pool?.nodes[0]).toMatchObject({ phase: 'rebooting', overdue: 'machine' });
});

it('says of a node whose kubelet is back that its daemon is missing', () => {
  const fleet = rebooting();
  fleet.kubelet('worker-0', { isReady: true });
  expect(textOf(fleet.pass(840))).toContain(
    '  worker-0  is Ready, but its daemon has not reported the end of its reboot for 14m: look at its pod machine-config-daemon',
  );
});

it('no longer says so once its daemon has reported', () => {
  const fleet = rebooting().pass(840);
  fleet.kubelet('worker-0', { isReady: true, bootId: '2' });
  fleet.report('worker-0', { kind: 'rebooted' });
  expect(textOf(fleet).join('\n')).not.toMatch(/not back|come back|has not reported/);
});
