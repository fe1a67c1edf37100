import { describe, expect, it } from 'vitest';
import { shortened } from './shortened.ts';

const digest = (digit: string) => `sha256:${digit.repeat(64)}`;
const mismatch = (name: string) =>
  `degraded for 12m: unexpected on-disk state validating against rendered-worker-0820700c2d496a3cacc73c82b7cd5c5f: expected target osImageURL "${name}@${digest('4')}", have "${name}@${digest('8')}"`;

describe('shortened', () => {
  it('leaves a text that fits as it is, digests included', () => {
    const text = mismatch('quay.io/os');
    expect(shortened(text, text.length)).toBe(text);
  });

  it('shortens digests before anything else', () => {
    expect(shortened(mismatch('quay.io/openshift-release-dev/ocp-v4.0-art-dev'), 300)).toBe(
      'degraded for 12m: unexpected on-disk state validating against rendered-worker-0820700c2d496a3cacc73c82b7cd5c5f: expected target osImageURL "quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:444444444444...", have "quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:888888888888..."',
    );
  });

  it('keeps whole reasons of a list, and what to do', () => {
    const [first, other] = [`a: ${'why '.repeat(20)}`, `b: ${'why '.repeat(20)}`];
    const text = `refused: ${first}; ${other}; ${other}; to update anyway, annotate it`;
    expect(shortened(text, 200)).toBe(`refused: ${first}; and 2 more; to update anyway, annotate it`);
  });

  it.each([400, 300, 250, 200])('keeps the words from "expected" to "have" within %d characters', (max) => {
    for (const name of ['quay.io/os', `registry.example/${'team/'.repeat(30)}os`]) {
      const text = shortened(mismatch(name), max);
      expect(text.length).toBeLessThanOrEqual(max);
      expect(text).toMatch(/expected target osImageURL "[^"]+", have "[^"]+"$/);
      expect(text).toMatch(/444.*888/);
    }
  });

  it.each([
    'mode mismatch for file: "/etc/a"; expected: -rw-r--r--/420/0644; received: -rwxr-xr-x/493/0755',
    'unit "a.service" expected enabled=true, but systemd reports "disabled"',
    'content mismatch for file "/etc/a" (expected 3 bytes, got 5 bytes)',
  ])('keeps %j behind a long beginning and before a long end', (kept) => {
    const text = shortened(`${'before '.repeat(100)}${kept} ${'after '.repeat(100)}`, 200);
    expect(text.length).toBeLessThanOrEqual(200);
    expect(text).toContain(kept.slice(kept.indexOf('expected')));
  });

  it('keeps the end of other texts, where daemons report the cause', () => {
    const text = shortened(`${'a '.repeat(300)}the cause`, 100);
    expect(text).toBe(`${'a '.repeat(16)}... ${'a '.repeat(27)}the cause`);
  });

  it('breaks no word, unless too little were left without it', () => {
    const text = 'failed to update because the registry of the cluster answers with an internal error';
    const words = new Set([...text.split(' '), '...']);
    for (let max = 40; max < text.length; max += 1) {
      const short = shortened(text, max);
      expect(short.length).toBeLessThanOrEqual(max);
      expect(short.split(' ').filter((word) => !words.has(word))).toEqual([]);
    }
    expect(shortened('x'.repeat(60), 35)).toBe(`${'x'.repeat(10)} ... ${'x'.repeat(20)}`);
  });

  it('keeps the limit for any text', () => {
    for (const text of ['x'.repeat(1000), `expected ${'y '.repeat(500)} had z`, '🛠'.repeat(500)]) {
      expect([...shortened(text, 60)].length).toBeLessThanOrEqual(60);
    }
  });
});
