import { describe, expect, it } from 'vitest';
import { aRefusal, Fleet, NEW } from '../../test/a-fleet.ts';
import { annotations } from '../api/index.ts';
import type { FleetOverview } from './fleet-overview.ts';
import { overviewText } from './overview-text.ts';

/** Every state that a pool can be in, and every thing that can be said of a node. */
function everything(): FleetOverview {
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
  return fleet.pass(72).overview();
}

describe('the screen', () => {
  it.each([
    ['plain', { width: 80, hasColors: false }],
    ['colors', { width: 80, hasColors: true }],
    ['narrow', { width: 50, hasColors: false }],
  ])('%s', async (name, options) => {
    const text = `${overviewText(everything(), options).join('\n')}\n`;
    await expect(text).toMatchFileSnapshot(`../../test/golden/overview/${name}.txt`);
  });
});

describe('whatever is shown', () => {
  const plain = { width: 80, hasColors: false };

  it('says so where there is nothing', () => {
    expect(overviewText(new Fleet().overview(), plain)).toEqual(['no pools']);
  });

  it('fits the width, and is plain ASCII without colours', () => {
    for (const width of [60, 80, 120]) {
      const lines = overviewText(everything(), { width, hasColors: false });
      for (const line of lines) expect(line).toMatch(/^[\x20-\x7e]*$/);
      const texts = lines.filter((line) => !line.startsWith('kubectl'));
      expect(texts.filter((line) => line.length > width)).toEqual([]);
    }
  });

  it('is the same with and without colours, but for the bar', () => {
    const bare = (text: string) => text.replaceAll(/\p{Cc}\[\d+m/gu, '');
    const coloured = overviewText(everything(), { width: 80, hasColors: true }).map(bare);
    const words = (lines: readonly string[]) => lines.map((line) => line.replaceAll(/[[\]#>!.█▓▒░ ]/g, ''));
    expect(words(coloured)).toEqual(words(overviewText(everything(), plain)));
  });

  it('steers no terminal, and cuts what daemons quote at length', () => {
    const fleet = new Fleet().pool('worker', 1);
    fleet.report('worker-0', { kind: 'failed', error: `a\n\tb \x1b[2J ${'long '.repeat(300)}: the cause` });
    const lines = overviewText(fleet.overview(), plain);
    expect(lines.join('')).toContain('degraded for 0s: a b \\x1b[2J long');
    expect(lines.join('')).not.toMatch(/\p{Cc}/u);
    expect(lines.length).toBeLessThan(12);
    expect(lines.join(' ')).toContain(' ... ');
    // The cause comes last in what daemons say.
    expect(lines.join(' ').replaceAll(/ +/g, ' ')).toContain('long : the cause');
  });

  it('shows a dozen of many nodes, the worst first', () => {
    const fleet = new Fleet().pool('worker', 40, { configuration: { name: NEW }, maxUnavailable: 30 });
    for (let index = 0; index < 20; index++) fleet.send(`worker-${index}`);
    fleet.report('worker-9', { kind: 'failed', error: 'disk full' });
    const lines = overviewText(fleet.overview(), plain);
    expect(lines[2]).toBe('  worker-9   degraded for 0s: disk full');
    expect(lines).toContain('  and 8 nodes more');
    expect(lines).toContain('  20 nodes wait for their turn, at most 30 out of service at once');
  });

  it('says where a node goes that is on the way to something older', () => {
    const fleet = new Fleet().pool('worker', 1);
    fleet.send('worker-0');
    fleet.change('worker', { configuration: { name: 'rendered-worker-3' } });
    const lines = overviewText(fleet.overview(), { ...plain, width: 100 });
    expect(lines).toContain(`  worker-0  starting, on the way to ${NEW}`);
  });
});
