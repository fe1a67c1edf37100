/**
 * No component writes a field that belongs to another one: who writes which annotation is in the register of the API, who writes which part of
 * an object in docs/architecture.md.
 */
import { keyRegister } from '../../api/index.ts';
import { canonicalJson } from '../../base/json.ts';
import type { Checker, CheckerContext } from './checker.ts';
import { at, isJson, type Json, nameOf, PREFIX, type StoredChange } from './observed-state.ts';

type Writer = 'daemon' | 'controller' | 'operator' | 'builder' | 'build-pod';

/** Parties of the register that are parts of the controllers. */
const CONTROLLERS: ReadonlySet<string> = new Set([
  ...[
    'node-controller',
    'drain-controller',
    'render-controller',
    'template-controller',
    'registries-controller',
  ],
  ...['pinned-image-set-controller', 'prune-controller', 'kind-controller'],
]);

const WRITER_OF_KEY: ReadonlyMap<string, string> = new Map(
  Object.values(keyRegister.annotations).map(({ key, writer }) => [key, writer]),
);

export class Writers implements Checker {
  readonly name = 'writers';
  readonly #context: CheckerContext;

  constructor(context: CheckerContext) {
    this.#context = context;
  }

  onWritten(change: StoredChange, actor: string): void {
    const writer = writerOf(actor);
    if (writer === undefined) return;
    const { key } = change;
    const own = actor.slice('daemon/'.length);
    const isOfNode = key.startsWith(PREFIX.node) || key.startsWith(PREFIX.machineConfigNode);
    if (writer === 'daemon' && isOfNode && nameOf(key) !== own)
      this.#context.violate(`${actor} writes ${key}, which is another node`);
    if (key.startsWith(PREFIX.node)) this.#onNode(change, actor, writer);
    this.#onBuild(change, actor, writer);
    if (key.startsWith(PREFIX.machineConfigNode) && writer !== 'daemon')
      this.#unlessSame(change, actor, ['status']);
    if (key.startsWith(PREFIX.pool) && writer !== 'controller') this.#unlessSame(change, actor, ['status']);
    if (key.startsWith(PREFIX.pool) && change.before !== undefined) {
      for (const field of ['paused', 'maxUnavailable', 'nodeSelector', 'machineConfigSelector'])
        this.#unlessSame(change, actor, ['spec', field]);
    }
  }

  /** The builder writes its own kinds alone, but for the spec of MachineOSConfigs, which is the administrators'. */
  #onBuild(change: StoredChange, actor: string, writer: Writer): void {
    const { key } = change;
    const isConfig = key.startsWith(PREFIX.osConfig);
    const isOfBuilds = isConfig || key.startsWith(PREFIX.osBuild);
    const mayWrite = writer === 'builder' ? isOfBuilds : writer !== 'build-pod' && !isOfBuilds;
    if (!mayWrite) this.#context.violate(`${actor} writes ${key}`);
    if (isConfig) this.#unlessSame(change, actor, ['spec']);
  }

  #onNode({ key, before, after }: StoredChange, actor: string, writer: Writer): void {
    if (before === undefined || after === undefined) return;
    const { violate } = this.#context;
    for (const annotation of changedKeys(
      at(before, 'metadata', 'annotations'),
      at(after, 'metadata', 'annotations'),
    )) {
      const owner = WRITER_OF_KEY.get(annotation);
      if (owner === undefined || isBy(owner, writer)) continue;
      // It sets what is not there when a node joins.
      const isInitial =
        writer === 'daemon' && at(before, 'metadata', 'annotations', annotation) === undefined;
      if (!isInitial) violate(`${actor} writes ${annotation} of ${key}, which belongs to the ${owner}`);
    }
    if (writer === 'controller') return;
    this.#unlessSame({ key, before, after }, actor, ['spec', 'unschedulable']);
    this.#unlessSame({ key, before, after }, actor, ['metadata', 'labels']);
  }

  #unlessSame(
    { key, before, after }: Pick<StoredChange, 'key' | 'before' | 'after'>,
    actor: string,
    path: readonly string[],
  ): void {
    const text = (object: Json | undefined) => canonicalJson(at(object, ...path) ?? null);
    if (after !== undefined && text(before) !== text(after))
      this.#context.violate(`${actor} writes ${path.join('.')} of ${key}`);
  }
}

const WRITERS: readonly Writer[] = ['daemon', 'controller', 'operator', 'builder', 'build-pod'];

function writerOf(actor: string): Writer | undefined {
  return WRITERS.find((writer) => actor === writer || actor.startsWith(`${writer}/`));
}

function isBy(owner: string, writer: Writer): boolean {
  return writer === 'controller' ? CONTROLLERS.has(owner) : owner === writer;
}

function changedKeys(before: unknown, after: unknown): readonly string[] {
  const [was, is] = [isJson(before) ? before : {}, isJson(after) ? after : {}];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].filter((key) => was[key] !== is[key]);
}
