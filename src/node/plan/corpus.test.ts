/** Changes, and what a node does about each, as it is predicted. */
import { expect, test } from 'vitest';
import { aNodeConfig, COREOS } from '../../../test/support/a-node-config.ts';
import { CHANGES, type Change } from '../../../test/support/change-corpus.ts';
import { ok } from '../../base/errors.ts';
import { actionsText, mergePolicies } from './disruption-policy.ts';
import type { Plan } from './plan-types.ts';
import { planUpdate } from './plan-update.ts';

test.each(CHANGES)('$what: $actions', (row) => {
  const plan = planOf(row);
  const steps = plan.steps.filter(({ kind }) => kind !== 'post-action' && kind !== 'store-config');
  expect({
    actions: actionsText(plan.actions),
    drains: plan.needsDrain,
    steps: steps.map(({ kind }) => kind).join(' '),
  }).toEqual({ actions: row.actions, drains: row.drains, steps: row.steps });
});

test.each(CHANGES)(
  '$what: the config is stored after everything else, then come the actions but Drain, or None where nothing is left',
  (row) => {
    const { steps, actions, needsReboot } = planOf(row);
    const stored = steps.findIndex(({ kind }) => kind === 'store-config');
    const after = actions.filter(({ type }) => type !== 'Drain');
    const expected = after.length === 0 ? [{ type: 'None' }] : after;
    expect(steps.slice(stored + 1)).toEqual(expected.map((action) => ({ kind: 'post-action', action })));
    expect(steps.slice(0, stored).every(({ kind }) => kind !== 'post-action')).toBe(true);
    expect(needsReboot).toBe(row.actions === '[Reboot]');
  },
);

test('the corpus has at least sixty changes', () => {
  expect(new Set(CHANGES.map(({ what }) => what)).size).toBeGreaterThanOrEqual(60);
});

function planOf({ before = {}, after = {}, policy, ...circumstances }: Change): Plan {
  const result = planUpdate({
    from: aNodeConfig('rendered-worker-old', before),
    to: aNodeConfig('rendered-worker-new', after),
    policies: ok(mergePolicies(policy)),
    machine: COREOS,
    ...circumstances,
  });
  if (result.kind !== 'plan') throw new Error(result.error);
  return result.plan;
}
