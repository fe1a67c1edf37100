import { afterEach, beforeEach, expect, it } from 'vitest';
import { type VirtualEnv, virtualEnv } from '../../../test/virtual-env.ts';
import { AbsentParts } from './absent-parts.ts';
import { installerInstance } from './component-instances.ts';

const BOTH = [installerInstance('operator'), installerInstance('controller')];

let env: VirtualEnv;
let said: string[];
let parts: AbsentParts;
beforeEach(() => {
  env = virtualEnv();
  said = [];
  parts = new AbsentParts(env.clock, (line) => said.push(line));
});
afterEach(() => env.stop());

it('a part that is away for long is told of, once', async () => {
  parts.note(BOTH.slice(0, 1));
  await env.clock.advance(10_000);
  parts.note(BOTH.slice(0, 1));
  await env.clock.advance(60_000);
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(/^no pod of machine-config-controller runs, and nothing is done until one does: /);
});

it('a part that only moves is not, and neither is one that is away when all stops', async () => {
  parts.note([]);
  await env.clock.advance(10_000);
  parts.note(BOTH);
  await env.clock.advance(60_000);
  parts.note([]);
  parts.stop();
  await env.clock.advance(60_000);
  expect(said).toEqual([]);
});

it('one that goes away again is told of again', async () => {
  for (const _ of [1, 2]) {
    parts.note(BOTH.slice(1));
    await env.clock.advance(20_000);
    parts.note(BOTH);
  }
  expect(said).toHaveLength(2);
});
