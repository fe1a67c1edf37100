import { expect, it } from 'vitest';
import { diagnosisText } from './diagnosis-text.ts';
import type { Finding, Stage } from './finding.ts';

function textOf(stage: Stage, pools: readonly string[]): string {
  const top: Finding = {
    ...{ code: 'SomeCause', stage, severity: 'blocks', cause: 'something is wrong', pools },
    about: { kind: 'Node', name: 'worker-0' },
    ...{ evidence: [], next: [] },
  };
  const diagnosis = { now: '2026-01-01T00:00:00Z', isBlocked: true, top, others: [] };
  return diagnosisText(diagnosis, { width: 100, hasColors: false, unread: [], damaged: [] }).join('\n');
}

it.each<[Stage, readonly string[], string]>([
  ['node', ['worker'], 'SomeCause, holds up pool worker\n'],
  ['rollout', ['infra', 'worker'], 'SomeCause, holds up pools infra and worker\n'],
  ['other', ['worker'], 'SomeCause, concerns pool worker\n'],
  ['cluster', [], 'SomeCause\n'],
])('a cause of the stage %s about %j says what it does to them', (stage, pools, line) => {
  expect(textOf(stage, pools)).toContain(line);
});
