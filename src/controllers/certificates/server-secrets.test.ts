/** The Secrets of the MachineConfigServer, on the embedded server in virtual time. */
import { X509Certificate } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { World } from '../../../test/rollout/build-world.ts';
import { control } from '../../../test/rollout/control.ts';
import { MINUTE } from '../../../test/rollout/story-steps.ts';
import { startWorld } from '../../../test/rollout/world.ts';
import { machineConfigPool } from '../../api/index.ts';
import type { Clock } from '../../base/env.ts';
import { certificateIssuer } from '../../certificates/certificate-issuer-node.ts';
import { parseIgnition } from '../../config/ignition/index.ts';
import {
  configMap,
  node as nodeKind,
  type Secret,
  secret as secretKind,
} from '../../kubernetes/types/index.ts';
import { type ConfigServerOptions, createServerSecretsController } from './server-secrets.ts';

const namespace = 'openshift-machine-config-operator';
const DAY = 24 * 60 * MINUTE;

describe('the Secrets of the machine config server', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld({ masters: 1, workers: 1 });
    await world.startControllers(undefined, { settings: { base: 'none' } });
    await world.env.clock.advance(MINUTE);
  });
  afterEach(() => world.stop());

  const start = async (options: Partial<ConfigServerOptions> = {}) => {
    const given = { issuer: certificateIssuer, isTokenRequired: false, ...options };
    const running = world.startOther((parts) =>
      control(parts, (context) => [createServerSecretsController(context, given)]),
    );
    await world.env.clock.advance(5_000);
    return running;
  };
  const secret = async (name: string): Promise<Secret | undefined> =>
    world.kube.get(secretKind, { name, namespace });
  const text = async (name: string, key: string) => atob((await secret(name))?.data?.[key] ?? '');
  const certificate = async (name: string) => new X509Certificate(await text(name, 'tls.crt'));
  const giveAddresses = async (name: string, ...addresses: readonly string[]) => {
    const status = { addresses: addresses.map((address) => ({ type: 'InternalIP', address })) };
    await world.kube.patch(
      nodeKind,
      { name },
      { type: 'merge', body: { status } },
      { subresource: 'status' },
    );
    await world.env.clock.advance(5_000);
  };
  const pointer = async (pool: string) => {
    const parsed = parseIgnition(JSON.parse(await text(`${pool}-user-data-managed`, 'userData')));
    if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
    return parsed.value.ignition;
  };

  it('are a CA, a certificate for the control plane, a token, and a pointer for each pool', async () => {
    await giveAddresses('master-0', '10.0.0.5');
    await giveAddresses('worker-0', '10.0.0.9');
    await start();
    const authority = await certificate('machine-config-server-ca');
    const server = await certificate('machine-config-server-tls');
    expect(server.verify(authority.publicKey)).toBe(true);
    expect(server.checkIP('10.0.0.5')).toBe('10.0.0.5');
    expect(server.checkIP('10.0.0.9')).toBeUndefined();
    expect(server.checkHost(`machine-config-server.${namespace}.svc`)).toBeDefined();
    expect(await text('machine-config-server-token', 'token')).toMatch(/^[\w-]{43}$/);
    const bundle = await world.kube.get(configMap, { name: 'machine-config-server-ca', namespace });
    expect(bundle?.data?.['ca-bundle.crt']).toBe(authority.toString());
    for (const pool of ['master', 'worker']) {
      const { config, security } = await pointer(pool);
      expect(config?.merge).toEqual([{ source: `https://10.0.0.5:22623/config/${pool}` }]);
      expect(security?.tls?.certificateAuthorities).toHaveLength(1);
      const owner = (await world.kube.get(machineConfigPool, { name: pool }))?.metadata.uid;
      expect((await secret(`${pool}-user-data-managed`))?.metadata.ownerReferences).toMatchObject([
        { kind: 'MachineConfigPool', name: pool, uid: owner },
      ]);
    }
  });

  it('carry the token in the pointers where the server asks for it', async () => {
    await start({ isTokenRequired: true, url: 'https://api-int.example:8443/' });
    const token = await text('machine-config-server-token', 'token');
    expect((await pointer('worker')).config?.merge).toEqual([
      {
        source: 'https://api-int.example:8443/config/worker',
        httpHeaders: [{ name: 'Authorization', value: `Bearer ${token}` }],
      },
    ]);
    expect((await certificate('machine-config-server-tls')).checkHost('api-int.example')).toBeDefined();
  });

  it('survive a restart, and are not written again', async () => {
    const first = await start({ url: 'https://a.example:22623' });
    const versions = async () =>
      Promise.all(
        [
          'machine-config-server-ca',
          'machine-config-server-tls',
          'machine-config-server-token',
          'worker-user-data-managed',
        ].map(async (name) => (await secret(name))?.metadata.resourceVersion),
      );
    const before = await versions();
    await first.stop();
    await start({ url: 'https://a.example:22623' });
    await world.env.clock.advance(30 * MINUTE);
    expect(await versions()).toEqual(before);
  });

  it('get another certificate of the same CA when the control plane changes', async () => {
    await start();
    const authority = await text('machine-config-server-ca', 'tls.crt');
    await giveAddresses('master-0', '10.0.0.7');
    expect((await certificate('machine-config-server-tls')).checkIP('10.0.0.7')).toBe('10.0.0.7');
    expect(await text('machine-config-server-ca', 'tls.crt')).toBe(authority);
    expect((await pointer('worker')).config?.merge?.[0]?.source).toBe('https://10.0.0.7:22623/config/worker');
  });

  it('are repaired when they are deleted or changed', async () => {
    await start({ url: 'https://a.example:22623' });
    const authority = await text('machine-config-server-ca', 'tls.crt');
    await world.kube.delete(secretKind, { name: 'machine-config-server-tls', namespace });
    await world.kube.delete(secretKind, { name: 'worker-user-data-managed', namespace });
    await world.env.clock.advance(11 * MINUTE);
    expect(await secret('machine-config-server-tls')).toBeDefined();
    expect(await text('machine-config-server-ca', 'tls.crt')).toBe(authority);
    expect((await pointer('worker')).config?.merge).toHaveLength(1);
  });

  it('are renewed after eight years', async () => {
    await start({ url: 'https://a.example:22623' });
    const before = await text('machine-config-server-ca', 'tls.crt');
    const eightYears = world.env.clock.now() + 8 * 365 * DAY + DAY;
    const running = world.startOther((parts) =>
      control(
        { ...parts, env: { ...parts.env, clock: { ...clockOf(parts.env.clock), now: () => eightYears } } },
        (context) => [
          createServerSecretsController(context, {
            issuer: certificateIssuer,
            isTokenRequired: false,
            url: 'https://a.example:22623',
          }),
        ],
      ),
    );
    await world.env.clock.advance(5_000);
    expect(await text('machine-config-server-ca', 'tls.crt')).not.toBe(before);
    await running.stop();
  });
});

/** The methods of a clock, which are on its prototype. */
function clockOf(clock: Clock): Omit<Clock, 'now'> {
  return {
    monotonic: () => clock.monotonic(),
    after: (delayMs: number, call: () => void) => clock.after(delayMs, call),
    pause: () => clock.pause(),
  };
}
