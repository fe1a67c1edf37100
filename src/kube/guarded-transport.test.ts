import { expect, it } from 'vitest';
import { CannedTransport } from '../../test/kube/canned-transport.ts';
import { virtualEnv } from '../../test/virtual-env.ts';
import { node } from '../builtin/index.ts';
import { createKube } from './client.ts';
import { guardedTransport } from './guarded-transport.ts';

it('whoever leads no more may look, but not touch', async () => {
  const env = virtualEnv();
  const body = { metadata: { name: 'n' } };
  const inner = new CannedTransport(env.clock, [{ body }, { body }]);
  let isLeading = true;
  const kube = createKube({
    transport: guardedTransport(inner, () => isLeading),
    env,
    fieldManager: 'leader',
  });
  await kube.patch(node, { name: 'n' }, { type: 'merge', body: {} });
  isLeading = false;
  await expect(kube.patch(node, { name: 'n' }, { type: 'merge', body: {} })).rejects.toMatchObject({
    kind: 'cancelled',
  });
  await kube.get(node, { name: 'n' });
  expect(inner.asked.map(({ method }) => method)).toEqual(['PATCH', 'GET']);
});
