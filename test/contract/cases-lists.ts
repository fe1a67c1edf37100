/** Lists: pages, versions, and what expires. */
import { expect } from 'vitest';
import { topic } from './contract-case.ts';
import { listOf, namesOf, textOf, versionOf } from './loose.ts';
import { configMap } from './objects.ts';
import type { Scene } from './scene.ts';
import { badRequest, expectFailure, invalid } from './statuses.ts';

/** A namespace with five secrets: nothing else makes any there. */
async function fiveSecrets(scene: Scene): Promise<string> {
  const path = `/api/v1/namespaces/${await scene.namespace()}/secrets`;
  for (const name of ['a', 'b', 'c', 'd', 'e']) await scene.make(path, { metadata: { name } });
  return path;
}

export const listCases = topic('lists', {
  'a limit cuts the list and says how to go on and how much is left': async (scene) => {
    const path = await fiveSecrets(scene);
    const first = await scene.get(`${path}?limit=2`);
    expect(namesOf(first.json)).toEqual(['a', 'b']);
    expect(first.json.metadata?.remainingItemCount).toBe(3);
    const second = await scene.get(`${path}?limit=2&continue=${textOf(first.json.metadata?.continue)}`);
    expect(namesOf(second.json)).toEqual(['c', 'd']);
    expect(second.json.metadata?.remainingItemCount).toBe(1);
    const third = await scene.get(`${path}?limit=2&continue=${textOf(second.json.metadata?.continue)}`);
    expect(namesOf(third.json)).toEqual(['e']);
    expect(third.json.metadata).toEqual({ resourceVersion: versionOf(first.json) });
    expect(versionOf(second.json)).toBe(versionOf(first.json));
  },

  'the pages of a list show one moment, whatever happens between them': async (scene) => {
    const path = await fiveSecrets(scene);
    const first = await scene.get(`${path}?limit=2`);
    await scene.delete(`${path}/d`);
    await scene.make(path, { metadata: { name: 'bb' } });
    const rest = await scene.get(`${path}?continue=${textOf(first.json.metadata?.continue)}`);
    expect(namesOf(rest.json)).toEqual(['c', 'd', 'e']);
  },

  'a selector hides how much is left, and pages are filled with what it selects': async (scene) => {
    const path = `/api/v1/namespaces/${await scene.namespace()}/secrets`;
    for (const [name, set] of [
      ['a', 'x'],
      ['b', 'y'],
      ['c', 'x'],
      ['d', 'x'],
    ] as const) {
      await scene.make(path, { metadata: { name, labels: { set } } });
    }
    const first = await scene.get(`${path}?limit=2&labelSelector=set=x`);
    expect(namesOf(first.json)).toEqual(['a', 'c']);
    expect(first.json.metadata).not.toHaveProperty('remainingItemCount');
    const rest = await scene.get(
      `${path}?limit=2&labelSelector=set=x&continue=${textOf(first.json.metadata?.continue)}`,
    );
    expect(namesOf(rest.json)).toEqual(['d']);
  },

  'a token of another list or of nobody is refused': async (scene) => {
    const path = await fiveSecrets(scene);
    expectFailure(
      await scene.get(`${path}?limit=2&continue=nonsense`),
      badRequest(
        "invalid continue token: continue key is not valid: invalid character '\\u009e' looking for beginning of value",
      ),
    );
    expectFailure(
      await scene.get(`${path}?limit=2&continue=e30`),
      badRequest(
        'invalid continue token: continue key is not valid: server does not recognize this encoded version ',
      ),
    );
  },

  'a token and a version cannot be given together': async (scene) => {
    const path = await fiveSecrets(scene);
    const first = await scene.get(`${path}?limit=2`);
    const token = textOf(first.json.metadata?.continue);
    expectFailure(
      await scene.get(`${path}?limit=2&continue=${token}&resourceVersion=${versionOf(first.json)}`),
      badRequest('specifying resource version is not allowed when using continue'),
    );
  },

  'version 0 is any version the server has, and limits do not cut it': async (scene) => {
    const path = await fiveSecrets(scene);
    const current = await scene.get(path);
    // The cache may lag behind, but never behind what was just read from it.
    const list = await scene.get(`${path}?resourceVersion=0&limit=2`);
    expect(namesOf(list.json)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(list.json.metadata).not.toHaveProperty('continue');
    expect(Number(versionOf(list.json))).toBeGreaterThanOrEqual(Number(versionOf(current.json)));
  },

  'an exact version shows the list as it was': async (scene) => {
    const path = await fiveSecrets(scene);
    const before = await scene.get(path);
    await scene.delete(`${path}/c`);
    const then = await scene.get(
      `${path}?resourceVersion=${versionOf(before.json)}&resourceVersionMatch=Exact`,
    );
    expect(namesOf(then.json)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(versionOf(then.json)).toBe(versionOf(before.json));
    const cut = await scene.get(
      `${path}?resourceVersion=${versionOf(before.json)}&resourceVersionMatch=Exact&limit=3`,
    );
    expect(namesOf(cut.json)).toEqual(['a', 'b', 'c']);
    expect(cut.json.metadata?.remainingItemCount).toBe(2);
  },

  'a version that must not be older shows that one or a newer one': async (scene) => {
    const path = await fiveSecrets(scene);
    const before = await scene.get(path);
    await scene.delete(`${path}/c`);
    const query = `resourceVersion=${versionOf(before.json)}&resourceVersionMatch=NotOlderThan`;
    const list = await scene.get(`${path}?${query}`);
    expect(Number(versionOf(list.json))).toBeGreaterThanOrEqual(Number(versionOf(before.json)));
    expect((await scene.get(`${path}?${query.replace('NotOlderThan', 'Exact')}`)).status).toBe(200);
  },

  'a version with a limit and no match is exact': async (scene) => {
    const path = await fiveSecrets(scene);
    const before = await scene.get(path);
    await scene.delete(`${path}/a`);
    const list = await scene.get(`${path}?limit=1&resourceVersion=${versionOf(before.json)}`);
    expect(namesOf(list.json)).toEqual(['a']);
  },

  'a version that does not exist yet is refused, with the advice to wait': async (scene) => {
    const path = await fiveSecrets(scene);
    const { json } = await scene.get(path);
    const future = String(Number(versionOf(json)) + 1_000_000);
    const answer = await scene.get(`${path}?resourceVersion=${future}`);
    expect(answer.headers['retry-after']).toBe('1');
    expectFailure(answer, {
      code: 504,
      reason: 'Timeout',
      message: `Timeout: Too large resource version: ${future}, current: ${String(answer.json.message).match(/current: (\d+)/)?.[1]}`,
      details: {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds: 1,
      },
    });
  },

  'a version that is no number is refused': async (scene) => {
    expectFailure(
      await scene.get('/api/v1/secrets?resourceVersion=x'),
      badRequest(
        'invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
      ),
    );
  },

  'a match needs a version, and one that is known': async (scene) => {
    const options = { kind: 'ListOptions', group: 'meta.k8s.io', name: '' };
    expectFailure(
      await scene.get('/api/v1/secrets?resourceVersionMatch=Exact'),
      invalid(options, {
        reason: 'FieldValueForbidden',
        message: 'Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
        field: 'resourceVersionMatch',
      }),
    );
    expectFailure(
      await scene.get('/api/v1/secrets?resourceVersion=5&resourceVersionMatch=Near'),
      invalid(options, {
        reason: 'FieldValueNotSupported',
        message: 'Unsupported value: "Near": supported values: "Exact", "NotOlderThan", ""',
        field: 'resourceVersionMatch',
      }),
    );
    expectFailure(
      await scene.get('/api/v1/secrets?resourceVersion=0&resourceVersionMatch=Exact'),
      invalid(options, {
        reason: 'FieldValueForbidden',
        message: 'Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
        field: 'resourceVersionMatch',
      }),
    );
  },

  'reading one object takes a version that must not be older': async (scene) => {
    const path = `/api/v1/namespaces/${await scene.namespace()}/configmaps`;
    const made = await scene.make(path, configMap('a', { k: 'v' }));
    const read = await scene.get(`${path}/a?resourceVersion=${versionOf(made)}`);
    expect(read.json).toEqual(made);
    expect((await scene.get(`${path}/a?resourceVersion=0`)).status).toBe(200);
  },
});

export const expiryCases = topic(
  'expired history',
  {
    'a token whose version has expired is refused with one that goes on from the newest': async (scene) => {
      const path = await fiveSecrets(scene);
      const first = await scene.get(`${path}?limit=2`);
      await scene.delete(`${path}/d`);
      await scene.target.expireHistory?.();
      const answer = await scene.get(`${path}?limit=2&continue=${textOf(first.json.metadata?.continue)}`);
      expect(answer.status).toBe(410);
      const token = textOf(answer.json.metadata?.continue);
      expect(answer.json).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: { continue: token },
        status: 'Failure',
        message:
          'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
        reason: 'Expired',
        code: 410,
      });
      const rest = await scene.get(`${path}?limit=2&continue=${token}`);
      expect(namesOf(rest.json)).toEqual(['c', 'e']);
      expect(listOf(rest.json.items)).toHaveLength(2);
    },

    'an exact version that has expired is refused': async (scene) => {
      const path = await fiveSecrets(scene);
      const before = await scene.get(path);
      await scene.delete(`${path}/d`);
      await scene.target.expireHistory?.();
      expectFailure(
        await scene.get(`${path}?resourceVersion=${versionOf(before.json)}&resourceVersionMatch=Exact`),
        { code: 410, reason: 'Expired', message: 'The resourceVersion for the provided list is too old.' },
      );
    },
  },
  ['expiry'],
);
