import { afterEach, beforeEach, expect, it } from 'vitest';
import { type VirtualEnv, virtualEnv } from '../../../test/support/virtual-env.ts';
import { installerInstance } from './component-instances.ts';
import { MissingComponents } from './missing-components.ts';

const ALL = [installerInstance('operator'), installerInstance('builder'), installerInstance('controller')];

let env: VirtualEnv;
let warnings: string[];
let components: MissingComponents;
beforeEach(() => {
  env = virtualEnv();
  warnings = [];
  components = new MissingComponents(env.clock, (line) => warnings.push(line));
});
afterEach(() => env.stop());

it('a component without a pod for long is reported once', async () => {
  components.update(ALL.slice(0, 2));
  await env.clock.advance(10_000);
  components.update(ALL.slice(0, 2));
  await env.clock.advance(60_000);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toMatch(/^machine-config-controller has no running pod, so nothing is reconciled: /);
});

it('a rescheduled component, or one missing at shutdown, is not reported', async () => {
  components.update([]);
  await env.clock.advance(10_000);
  components.update(ALL);
  await env.clock.advance(60_000);
  components.update([]);
  components.stop();
  await env.clock.advance(60_000);
  expect(warnings).toEqual([]);
});

it('a component that goes missing again is reported again', async () => {
  for (const _ of [1, 2]) {
    components.update(ALL.slice(1));
    await env.clock.advance(20_000);
    components.update(ALL);
  }
  expect(warnings).toHaveLength(2);
});
