/**
 * What the daemon's log says, and how often.
 */
import { describe, expect, it } from 'vitest';
import { lingeringPod } from './joined-node.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();
const { join, untilDegraded, pass } = stories;
const MINUTE = 60_000;

const files = (changed: string) => ({
  ...Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`/etc/app/${index}`, 'same'])),
  '/etc/changed': changed,
});

describe('the log of the daemon', () => {
  it('names the files that change, and counts those that do not', async () => {
    const joined = await join({ files: files('one') });
    const from = joined.node.lines.length;
    const next = await joined.sendTo('next', { files: files('two') });
    await stories.cluster().untilDone(joined.node.name, next);
    const lines = joined.node.lines.slice(from);
    expect(lines.filter((line) => line.includes('Writing file'))).toEqual(['I Writing file "/etc/changed"']);
    expect(lines.filter((line) => line.includes('unchanged'))).toEqual(['I 25 files are unchanged']);
  });

  it('has few lines for each retry of an update that fails at a file', async () => {
    const joined = await join({ files: files('one') });
    joined.node.disk.addFault({ path: '/rootfs/etc/blocked', code: 'EEXIST', calls: ['rename'] });
    await joined.sendTo('next', { files: { ...files('one'), '/etc/blocked': 'no' } });
    await untilDegraded(joined, /file exists/);
    await pass(10 * MINUTE);
    const from = joined.node.lines.length;
    await pass(MINUTE);
    const lines = joined.node.lines.slice(from);
    expect(lines.filter((line) => line.includes('Writing file'))).toEqual(['I Writing file "/etc/blocked"']);
    expect(lines.length).toBeLessThan(30);
  });

  it('says once for each drain that the daemon waits for it', async () => {
    const joined = await join({ files: files('one') });
    const waits = () =>
      joined.node.lines.filter((line) => line.includes('A previously requested drain')).length;
    for (const count of [1, 2]) {
      const release = await lingeringPod(stories.cluster(), joined.node.name);
      const next = await joined.sendTo(`next-${count}`, { files: files(`two ${count}`) });
      await pass(10 * MINUTE);
      expect(waits()).toBe(count);
      await release();
      await stories.cluster().untilDone(joined.node.name, next);
    }
  });
});
