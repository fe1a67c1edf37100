/**
 * How drains are decided: nobody is cordoned for an OS image that cannot be pulled, nor the last node that takes pods while another one will come
 * back; a drain is left out only where there is no other node; and its clock is never set back.
 */
import { stringAt } from '../../base/json-fields.ts';
import type { Checker, CheckerContext } from './checker.ts';
import { LAG_MS } from './checker.ts';
import {
  annotation,
  drainRecord,
  isCordoned,
  isCordonedByUs,
  type Json,
  nameOf,
  PREFIX,
  type StoredChange,
} from './observed-state.ts';

export class Drains implements Checker {
  readonly name = 'drains';
  readonly #context: CheckerContext;
  /** When somebody else last cordoned or uncordoned a node, or one came or went. */
  #unrestMs = Number.NEGATIVE_INFINITY;

  constructor(context: CheckerContext) {
    this.#context = context;
  }

  onStored({ key, before, after }: StoredChange): void {
    if (!key.startsWith(PREFIX.node)) return;
    if (before === undefined || after === undefined) this.#unrestMs = this.#nowMs();
    const [was, is] = [drainRecord(before), drainRecord(after)];
    if (was !== undefined && was.request === is?.request && was.began !== is?.began)
      this.#context.violate(
        `the drain of ${nameOf(key)} began at ${String(was.began)}, now ${String(is?.began)}`,
      );
  }

  onWritten({ key, before, after }: StoredChange, actor: string): void {
    if (!key.startsWith(PREFIX.node) || after === undefined) return;
    const isMoved = isCordoned(before) !== isCordoned(after);
    if (!actor.startsWith('controller/')) {
      if (isMoved) this.#unrestMs = this.#nowMs();
      return;
    }
    if (isMoved && isCordoned(after)) this.#onCordon(nameOf(key), after);
    const isSkipped = drainRecord(after)?.skipped === true && drainRecord(before)?.skipped !== true;
    if (isSkipped && this.#context.state.nodes.size > 1 && this.#isCalm())
      this.#context.violate(`${nameOf(key)} is not drained, although there are other nodes`);
  }

  #onCordon(name: string, node: Json): void {
    const { state, violate } = this.#context;
    const config = annotation(node, 'desiredConfig');
    const built = annotation(node, 'desiredImage');
    const image = stringAt(state.configs.get(config), 'spec', 'osImageURL');
    if (built !== '' && !this.#context.cluster.registry.everBuilt.has(built))
      violate(`${name} is cordoned for ${built}, which was never pushed`);
    if (built === '' && image !== '' && !image.startsWith(KNOWN_IMAGES))
      violate(`${name} is cordoned for ${config}, whose OS image cannot be pulled`);
    const others = [...state.nodes].filter(([other]) => other !== name).map(([, other]) => other);
    if (this.#isCalm() && others.some(isCordonedByUs) && others.every(isCordoned))
      violate(`${name} is cordoned, the last node that takes pods`);
  }

  /** What a controller knows may be old. */
  #isCalm(): boolean {
    return this.#nowMs() - this.#unrestMs > LAG_MS;
  }

  #nowMs(): number {
    return this.#context.cluster.clock.monotonic();
  }
}

/** Images that the registry of a simulation has; all others are mistakes of administrators. */
const KNOWN_IMAGES = 'registry.example/os@';
