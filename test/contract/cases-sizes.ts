/** Objects at the limit of what a store takes. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { configMap, type Fields } from './objects.ts';
import type { Scene } from './scene.ts';
import { expectFailure } from './statuses.ts';

/**
 * Fewer than a store takes, but not together with who owns each of them. Few and long: what a server does with owners takes time for
 * each key, and a real one answers 504 after 34 seconds.
 */
const MANY = 4_000;
const KEY_LENGTH = 240;

/** The longest that a label has. */
const LABEL_LENGTH = 63;

function keys(count: number, length: number, value = ''): Fields {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`key-${index}`.padEnd(length, 'x'), value]),
  );
}

const manyKeys = () => keys(MANY, KEY_LENGTH);

async function configMapsOf(scene: Scene): Promise<string> {
  return `/api/v1/namespaces/${await scene.namespace()}/configmaps`;
}

export const sizeCases = topic('sizes', {
  'an object that is too large only for its owners is kept without them': async (scene) => {
    const path = await configMapsOf(scene);
    const made = await scene.post(path, configMap('a', manyKeys()));
    expect(made.status).toBe(201);
    expect(made.json.metadata).not.toHaveProperty('managedFields');
    const { json } = await scene.get(`${path}/a`);
    expect(Object.keys(json.data ?? {})).toHaveLength(MANY);
    expect(json.metadata).not.toHaveProperty('managedFields');
    const changed = await scene.patch(`${path}/a`, 'merge', { data: { more: '' } });
    expect(changed.status).toBe(200);
    expect(changed.json.metadata).not.toHaveProperty('managedFields');
  },

  'an update or a patch that makes it so large takes the owners away': async (scene) => {
    const path = await configMapsOf(scene);
    for (const name of ['a', 'b']) {
      const small = await scene.make(path, configMap(name, { k: 'v' }));
      expect(small.metadata).toHaveProperty('managedFields');
    }
    const replaced = await scene.put(`${path}/a`, configMap('a', manyKeys()));
    const patched = await scene.patch(`${path}/b`, 'merge', { data: manyKeys() });
    for (const { status, json } of [replaced, patched]) {
      expect(status).toBe(200);
      expect(json.metadata).not.toHaveProperty('managedFields');
    }
  },

  'whoever applies wants to own, and is told that the object is too large': async (scene) => {
    const path = await configMapsOf(scene);
    const applied = await scene.patch(`${path}/a?fieldManager=me`, 'apply', configMap('a', manyKeys()));
    expectFailure(applied, { code: 500, message: 'etcdserver: request is too large' });
  },

  'an object that is too large without its owners is refused': async (scene) => {
    const path = await configMapsOf(scene);
    const labels = keys(13_000, LABEL_LENGTH, 'a'.repeat(LABEL_LENGTH));
    const answer = await scene.post(path, configMap('a', {}, { labels }));
    expectFailure(answer, { code: 500, message: 'etcdserver: request is too large' });
  },
});
