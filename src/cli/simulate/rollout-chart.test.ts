import { describe, expect, it } from 'vitest';
import { paintWith } from '../../insight/index.ts';
import type { NodeTimeline } from '../../simulation/index.ts';
import { rolloutChart } from './rollout-chart.ts';

const MINUTE = 60_000;
const plain = paintWith(false);

function aNode(name: string, fromMinute: number, overrides: Partial<NodeTimeline> = {}): NodeTimeline {
  const at = (minutes: number) => (fromMinute + minutes) * MINUTE;
  return {
    ...{ name, pool: 'worker', sentMs: at(0), doneMs: at(5), isRebooted: true, refusals: [], failures: [] },
    phases: [
      { phase: 'drain', fromMs: at(0), toMs: at(1) },
      { phase: 'reboot', fromMs: at(1), toMs: at(5) },
    ],
    ...overrides,
  };
}

const options = { lengthMs: 10 * MINUTE, width: 40, maxRows: 10, paint: plain };

describe('a chart of a rollout', () => {
  it('has a row for each node, over a common axis, and a legend of what is in it', () => {
    expect(rolloutChart([aNode('worker-0', 0), aNode('worker-1', 5)], options)).toEqual([
      '          0s             5m',
      'worker-0  dddRRRRRRRRRRRR',
      'worker-1  ...............dddRRRRRRRRRRRR',
      '. waits  d drains  R reboots',
    ]);
  });

  it('is never wider than the terminal, however long names are', () => {
    const name = `worker-${'x'.repeat(60)}`;
    for (const width of [24, 40, 80, 200]) {
      const lines = rolloutChart([aNode(name, 0), aNode('w', 5)], { ...options, width });
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
      expect(lines[1]).toContain('~');
    }
  });

  it('shows some of many nodes, and always those that are not done', () => {
    const nodes = Array.from({ length: 30 }, (_, index) => aNode(`node-${index}`, index / 10));
    const { doneMs: _, ...stuck } = aNode('stuck', 3);
    const lines = rolloutChart([...nodes, stuck], { ...options, maxRows: 4 });
    const [, ...rows] = lines.map((line) => line.split(' ')[0]);
    expect(rows).toEqual(['node-0', 'node-1', 'node-2', 'node-3', 'stuck', 'and', '.']);
    expect(lines).toContain('and 26 more nodes');
  });

  it('paints equal cells together, and only where there are colours', () => {
    const [, painted = ''] = rolloutChart([aNode('w', 0)], { ...options, paint: paintWith(true) });
    expect(painted.split('\x1b[0m')).toHaveLength(3);
    const [, unpainted = ''] = rolloutChart([aNode('w', 0)], options);
    expect(unpainted).not.toContain('\x1b');
  });

  it('says when a node fails', () => {
    const failing = aNode('w', 0, { phases: [{ phase: 'fail', fromMs: 0, toMs: 10 * MINUTE }] });
    const lines = rolloutChart([failing], options);
    expect(lines.at(-1)).toContain('! fails');
  });
});
