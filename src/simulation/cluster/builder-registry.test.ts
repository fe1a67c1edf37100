import { describe, expect, it } from 'vitest';
import { ProcessGate } from '../process/process-gate.ts';
import { seededRandom } from '../seeded-random.ts';
import { Trace } from '../trace.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { builderRegistry } from './builder-registry.ts';
import { FIRST_OS, SimulatedRegistry } from './os-images.ts';

const TAG = 'registry.example/built/worker:one';
const DIGEST = `sha256:${'a'.repeat(64)}`;
const IMAGE = `registry.example/built/worker@${DIGEST}`;

async function aRegistry() {
  const clock = new VirtualClock();
  const registry = new SimulatedRegistry();
  const base = await registry.pull(FIRST_OS);
  registry.push(TAG, { ...base, digest: DIGEST, base: FIRST_OS, containerfile: '' });
  const gate = new ProcessGate({ clock, onKill: () => undefined });
  const trace = new Trace({ nowMs: () => clock.monotonic() });
  const port = builderRegistry({ registry, clock, trace, gate, random: seededRandom(1) });
  return { registry, gate, port, settled: <T>(work: Promise<T>) => clock.resolved(work, 10_000) };
}

describe('the registry of a simulation, as the builder sees it', () => {
  it('has the images that were pushed, by tag and by digest, until they are deleted', async () => {
    const { port, registry, settled } = await aRegistry();
    const removed: string[] = [];
    registry.onRemoval((image) => removed.push(image));
    expect(await settled(port.digestOf(TAG, ''))).toBe(DIGEST);
    expect(await settled(port.inspect(IMAGE, ''))).toMatchObject({ kind: 'present' });
    expect(await settled(port.remove(IMAGE, ''))).toBeUndefined();
    expect(await settled(port.inspect(IMAGE, ''))).toEqual({ kind: 'missing' });
    expect(await settled(port.digestOf(TAG, ''))).toBeUndefined();
    expect([removed, [...registry.everBuilt.keys()]]).toEqual([[IMAGE], [IMAGE]]);
    await expect(registry.pull(IMAGE)).rejects.toThrow('manifest unknown');
  });

  it('answers questions with an error and fails requests while it is down', async () => {
    const { port, registry, settled } = await aRegistry();
    registry.isDown = true;
    expect(await settled(port.inspect(IMAGE, ''))).toMatchObject({ kind: 'error' });
    expect(await settled(port.checkPush(TAG, ''))).toMatchObject({ kind: 'error' });
    await expect(settled(port.digestOf(TAG, ''))).rejects.toMatchObject({ kind: 'transient' });
    await expect(settled(port.remove(IMAGE, ''))).rejects.toMatchObject({ kind: 'transient' });
    registry.restore();
    expect(await settled(port.checkPush(TAG, ''))).toEqual({ kind: 'allowed' });
  });

  it('deletes nothing for a process that is killed right before its request', async () => {
    const { port, registry, gate, settled } = await aRegistry();
    gate.planKill({ call: 1, side: 'before' });
    await expect(settled(port.remove(IMAGE, ''))).rejects.toThrow();
    expect(registry.built.has(IMAGE)).toBe(true);
  });
});
