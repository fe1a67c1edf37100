/** Edge case 18: a single-node cluster never drains and never cordons, but the node still requests to be uncordoned. */
import { expect, it } from 'vitest';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories({ isAlone: true });

it('a single node is updated without a drain and without a cordon', async () => {
  const joined = await stories.join({ files: { '/etc/a': 'one' } });
  const { node } = joined;
  const cordons: unknown[] = [];
  stories.cluster().nodes.onChange(({ after }) => cordons.push(after?.spec.unschedulable));
  const next = await joined.sendTo('next', { files: { '/etc/a': 'two' } });
  await stories.cluster().untilDone(node.name, next);
  expect(cordons).not.toContain(true);
  expect(node.lines).toContain('I "Drain not required, skipping"');
  expect(await stories.condition(joined, 'Drained')).toBe(
    `False UpdateExecutedDrained: Action during update to ${next}: Node Drain Not required for this update.`,
  );
  expect(await stories.cluster().annotation(node.name, 'lastAppliedDrain')).toBe(`uncordon-${next}`);
});
