/**
 * The registry as the builder sees it: the port of the real one, answered by the registry of the simulation. Each request is a call of the
 * process, so that it can be killed or stopped there, and takes some time.
 *
 * A builder that is partitioned from the API server still reaches it: acting on what it knew before is the meaner case.
 */
import type { Clock, Random } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import type { BuildRegistry } from '../../images/index.ts';
import type { ProcessGate } from '../process/process-gate.ts';
import { between } from '../seeded-random.ts';
import type { Trace } from '../trace.ts';
import type { SimulatedRegistry } from './os-images.ts';

type RegistryLink = {
  readonly registry: SimulatedRegistry;
  readonly clock: Clock;
  readonly trace: Trace;
  readonly gate: ProcessGate;
  readonly random: Random;
};

/** One request, there and back. */
const REQUEST_MS = [2, 200] as const;
/** Of every image: nothing depends on it. */
const IMAGE_BYTES = 1_000_000;

export function builderRegistry({ registry, clock, trace, gate, random }: RegistryLink): BuildRegistry {
  /** Rejects where there is no connection. */
  const ask = <T>(what: string, answer: () => T): Promise<T> =>
    gate.pass(async () => {
      await new Promise<void>((resolve) => {
        clock.after(between(random, REQUEST_MS), resolve);
      });
      if (registry.isDown) {
        const message = `pinging container registry of ${what}: dial tcp: connect: connection refused`;
        throw new Failure('transient', 'Unreachable', message);
      }
      return answer();
    });
  const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
  return {
    async inspect(image) {
      try {
        return await ask(image, () =>
          registry.built.has(image)
            ? ({ kind: 'present', bytes: IMAGE_BYTES } as const)
            : ({ kind: 'missing' } as const),
        );
      } catch (error) {
        return { kind: 'error', message: textOf(error) };
      }
    },
    digestOf: (tag) => ask(tag, () => registry.digestOf(tag)),
    async checkPush(reference) {
      try {
        return await ask(reference, () => ({ kind: 'allowed' }) as const);
      } catch (error) {
        return { kind: 'error', message: textOf(error) };
      }
    },
    remove: (image) =>
      ask(image, () => {
        trace.add(`the registry deletes ${image}`);
        registry.remove(image);
        return undefined;
      }),
  };
}
