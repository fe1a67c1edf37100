import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { virtualEnv } from '../../../test/support/virtual-env.ts';
import { leaseIdentity } from './lease-identity-node.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A process that holds the lock of a component in a pod. */
async function otherProcess(component: string, uid: string): Promise<ChildProcess> {
  const script = `require('node:net').createServer().listen('\\0millwright/${component}/${uid}', () => console.log('held'))`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}

describe('the identity of a process in its Lease', () => {
  const ask = (component: string, environment: { readonly [name: string]: string }) =>
    leaseIdentity(component, virtualEnv(), environment);

  it('names the pod and its uid, and the processes that ran there before', async () => {
    const uid = randomUUID();
    const { identity, predecessors } = await ask('controller', { POD_NAME: 'controller-x', POD_UID: uid });
    expect(predecessors).toBe(`controller-x_${uid}_`);
    expect(identity).toMatch(new RegExp(`^controller-x_${uid}_[0-9a-f-]{36}$`));
  });

  it('has no predecessors while another process of the pod is alive, and has them once that is killed', async () => {
    const uid = randomUUID();
    const environment = { POD_NAME: 'controller-x', POD_UID: uid };
    const first = await otherProcess('controller', uid);
    const second = await ask('controller', environment);
    expect(second).toEqual({ identity: expect.stringMatching(/^controller-x_[0-9a-f-]{36}$/) });
    // Nor is it a predecessor of the first.
    expect(second.identity).not.toContain(uid);
    first.kill('SIGKILL');
    await once(first, 'exit');
    expect(await ask('controller', environment)).toHaveProperty('predecessors', `controller-x_${uid}_`);
  });

  it('does not mix up the components of one pod, or one component of two pods', async () => {
    const [uid, other] = [randomUUID(), randomUUID()];
    await otherProcess('operator', uid);
    await otherProcess('controller', other);
    expect(await ask('controller', { POD_NAME: 'x', POD_UID: uid })).toHaveProperty('predecessors');
  });

  it.each([
    ['outside of a pod', {}, hostname()],
    ['in a pod without its uid', { POD_NAME: 'x' }, 'x'],
    ['with a uid and no name', { POD_UID: 'u' }, hostname()],
  ])('has no predecessors %s', async (_, environment, name) => {
    expect(await ask('controller', environment)).toEqual({ identity: expect.stringMatching(`^${name}_`) });
  });
});
