import { describe, expect, it } from 'vitest';
import { aRefusal, Fleet, NEW } from '../../test/support/a-fleet.ts';
import { annotations } from '../api/index.ts';
import type { FleetStatus } from './fleet-status.ts';
import { statusText } from './status-text.ts';

/** Every state of a pool and of a node. */
function everything(): FleetStatus {
  const fleet = new Fleet().pool('master', 3).pool('worker', 5, { configuration: { name: NEW } });
  for (const name of ['worker-0', 'worker-1', 'worker-2', 'worker-4']) fleet.send(name);
  fleet.report('worker-0', { kind: 'prepared', needsDrain: false });
  fleet.finish('worker-0');
  fleet.drain('worker-1', { lastRefusal: aRefusal, attempts: 2, retryAtMs: fleet.nowMs + 100_000 });
  fleet.drain('worker-2');
  fleet.drained('worker-2');
  fleet.report('worker-2', { kind: 'failed', error: 'writing /etc/chrony.conf: no space left on device' });
  fleet.pool('infra', 2, { configuration: { name: NEW }, paused: true });
  fleet.pool('gpu', 1, { paused: true });
  const broken =
    'Failed to render configuration for pool gpu: parsing Ignition config failed with error: invalid version';
  fleet.annotate('gpu', { [annotations.renderProblem]: broken });
  fleet.pool('edge', 2);
  fleet.kubelet('edge-0', { isReady: false });
  fleet.cordon('edge-1');
  fleet.pool('empty', 0);
  fleet.pool('fresh', 0, { configuration: {} });
  fleet.pool('odd', 1, { maxUnavailable: 'a few' });
  fleet.node('torn', 'gpu', 'infra');
  fleet.node('lost', 'nothing');
  return fleet.pass(72).status();
}

describe('statusText matches the golden file', () => {
  it.each([
    ['plain', { width: 80, hasColors: false }],
    ['colors', { width: 80, hasColors: true }],
    ['narrow', { width: 50, hasColors: false }],
  ])('%s', async (name, options) => {
    const text = `${statusText(everything(), options).join('\n')}\n`;
    await expect(text).toMatchFileSnapshot(`../../test/golden/fleet-status/${name}.txt`);
  });
});

describe('statusText', () => {
  const plain = { width: 80, hasColors: false };

  it('reports a fleet without pools', () => {
    expect(statusText(new Fleet().status(), plain)).toEqual(['no pools']);
  });

  it('shows the reason and the remedy of a refusal without a gap', () => {
    const reason =
      'pre-flight refuses this config, and the node is not drained: /etc/kubernetes/kubelet.conf: its containerRuntimeEndpoint is /run/crio/crio.sock, which does not exist on the node, and neither the node, its OS nor the config has crio.service or cri-o.service (this node runs containerd) (name the socket of the runtime that the node has); to update anyway, annotate a MachineConfig of the pool with millwright.dev/skip-preflight=kubelet-config';
    const fleet = new Fleet().pool('worker', 1);
    fleet.report('worker-0', { kind: 'failed', error: reason });
    const text = statusText(fleet.status(), plain).join(' ').replaceAll(/ +/g, ' ');
    expect(text).toContain(reason);
  });

  it('names nodes without a daemon, and what to do', () => {
    const fleet = new Fleet().pool('worker', 1);
    for (const name of ['a', 'b', 'c', 'd']) fleet.withoutDaemon(name, 'worker');
    const lines = statusText(fleet.status(), { width: 120, hasColors: false });
    expect(lines).toContain(
      '  4 nodes have no daemon (a, b, c, ...): not updated until the DaemonSet machine-config-daemon runs on them',
    );
    expect(lines.join('\n')).toContain('--field-selector spec.nodeName=a');
    expect(lines[0]).toContain('1/5  updated');
  });

  it('counts no node without a daemon as unavailable', () => {
    const fleet = new Fleet().pool('worker', 2);
    fleet.withoutDaemon('alien', 'worker');
    fleet.kubelet('worker-0', { isReady: false });
    expect(statusText(fleet.status(), plain)[0]).toContain('updated, 1 unavailable');
  });

  it('fits the width, and is ASCII without colours', () => {
    for (const width of [60, 80, 120]) {
      const lines = statusText(everything(), { width, hasColors: false });
      for (const line of lines) expect(line).toMatch(/^[\x20-\x7e]*$/);
      const texts = lines.filter((line) => !line.startsWith('kubectl'));
      expect(texts.filter((line) => line.length > width)).toEqual([]);
    }
  });

  it('is the same with and without colours except for the bar', () => {
    const bare = (text: string) => text.replaceAll(/\p{Cc}\[\d+m/gu, '');
    const coloured = statusText(everything(), { width: 80, hasColors: true }).map(bare);
    const letters = (lines: readonly string[]) => lines.map((line) => line.replaceAll(/[[\]#>!.█▓▒░ ]/g, ''));
    expect(letters(coloured)).toEqual(letters(statusText(everything(), plain)));
  });

  it('escapes control characters and truncates long messages', () => {
    const fleet = new Fleet().pool('worker', 1);
    fleet.report('worker-0', { kind: 'failed', error: `a\n\tb \x1b[2J ${'long '.repeat(300)}: the cause` });
    const lines = statusText(fleet.status(), plain);
    expect(lines.join('')).toContain('degraded for 0s: a; b \\x1b[2J long');
    expect(lines.join('')).not.toMatch(/\p{Cc}/u);
    expect(lines.length).toBeLessThan(12);
    expect(lines.join(' ')).toContain(' ... ');
    // The cause is at the end of a daemon's message.
    expect(lines.join(' ').replaceAll(/ +/g, ' ')).toContain('long : the cause');
  });

  it('shortens digests rather than the words between them', () => {
    const fleet = new Fleet().pool('worker', 1);
    const image = (digit: string) =>
      `quay.io/openshift-release-dev/a-rather-long-name-of-a-repository/ocp-v4.0-art-dev@sha256:${digit.repeat(64)}`;
    const error = `unexpected on-disk state validating against rendered-worker-0820700c2d496a3cacc73c82b7cd5c5f: expected target osImageURL "${image('4')}", have "${image('8')}"`;
    fleet.report('worker-0', { kind: 'failed', error });
    const text = statusText(fleet.status(), plain).join(' ').replaceAll(/ +/g, ' ');
    expect(text).toContain('expected target osImageURL "quay.io/');
    expect(text).toContain('art-dev@sha256:444444444444...", have "quay.io/');
    expect(text).toContain('art-dev@sha256:888888888888..."');
  });

  it('shows at most twelve nodes, degraded ones first', () => {
    const fleet = new Fleet().pool('worker', 40, { configuration: { name: NEW }, maxUnavailable: 30 });
    for (let index = 0; index < 20; index++) fleet.send(`worker-${index}`);
    fleet.report('worker-9', { kind: 'failed', error: 'disk full' });
    const lines = statusText(fleet.status(), plain);
    expect(lines[2]).toBe('  worker-9   degraded for 0s: disk full');
    expect(lines).toContain('  and 8 nodes more');
    expect(lines).toContain('  20 nodes waiting, maxUnavailable 30');
  });

  it('names the desired config of a node that updates to an older one', () => {
    const fleet = new Fleet().pool('worker', 1);
    fleet.send('worker-0');
    fleet.change('worker', { configuration: { name: 'rendered-worker-3' } });
    const lines = statusText(fleet.status(), { ...plain, width: 100 });
    expect(lines).toContain(`  worker-0  starting, updating to ${NEW}`);
  });
});
