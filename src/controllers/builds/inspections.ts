/**
 * What registries said, for a while: the controller must notice that an image is gone, and must not ask at every event.
 */
import type { Clock } from '../../base/env.ts';
import type { BuildLimits, ImageState, PushState } from '../../images/index.ts';

/** Good answers are kept for the time of the limits, others are asked for again sooner. */
const PROBLEM_MS = 20_000;
const MAX_REMEMBERED = 1_000;

type Known<State> = { readonly state: State; readonly untilMs: number };

export class Inspections {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #keptMs: number;
  readonly #images = new Map<string, Known<ImageState>>();
  readonly #pushes = new Map<string, Known<PushState>>();

  constructor(clock: Pick<Clock, 'monotonic'>, { inspectionMs }: Pick<BuildLimits, 'inspectionMs'>) {
    this.#clock = clock;
    this.#keptMs = inspectionMs;
  }

  image(image: string): ImageState | undefined {
    return this.#current(this.#images.get(image));
  }

  setImage(image: string, state: ImageState): void {
    this.#remember(this.#images, image, state, state.kind === 'present');
  }

  /** After a deletion. */
  forget(image: string): void {
    this.#images.delete(image);
  }

  push(key: string): PushState | undefined {
    return this.#current(this.#pushes.get(key));
  }

  setPush(key: string, state: PushState): void {
    this.#remember(this.#pushes, key, state, state.kind === 'allowed');
  }

  #current<State>(known: Known<State> | undefined): State | undefined {
    return known !== undefined && this.#clock.monotonic() < known.untilMs ? known.state : undefined;
  }

  #remember<State>(map: Map<string, Known<State>>, key: string, state: State, isGood: boolean): void {
    if (map.size >= MAX_REMEMBERED) map.clear();
    map.set(key, {
      state,
      untilMs: this.#clock.monotonic() + (isGood ? this.#keptMs : Math.min(this.#keptMs, PROBLEM_MS)),
    });
  }
}
