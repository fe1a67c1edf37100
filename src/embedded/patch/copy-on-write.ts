/**
 * A document that is edited copy-on-write: changed containers are copied once, the rest is shared with the original.
 */
import type { Json } from '../../base/json.ts';
import { type Container, childOf, pointerParts, setChild } from './json-pointer.ts';

/** The container of a path's last segment, and that segment. */
type Location = { readonly container: Container; readonly key: string };

export class CopyOnWriteDocument {
  root: Json;
  /** Containers that were copied here and may be changed in place. */
  private readonly own = new WeakSet<object>();

  constructor(document: Json) {
    this.root = document;
  }

  /** Resolves a path for writing; undefined if a part of it is missing or has no children. */
  resolveForWrite(pointer: string): Location | undefined {
    const parts = pointerParts(pointer);
    if (parts === undefined || !isContainer(this.root)) return undefined;
    let container = this.owned(this.root);
    this.root = container;
    for (const part of parts.slice(0, -1)) {
      const found = childOf(container, part);
      if ('failure' in found || !isContainer(found.value)) return undefined;
      const child = this.owned(found.value);
      if (child !== found.value) setChild(container, part, child);
      container = child;
    }
    return { container, key: parts.at(-1) ?? '' };
  }

  /** Resolves a path for reading. */
  resolve(pointer: string): Location | undefined {
    const parts = pointerParts(pointer);
    if (parts === undefined || !isContainer(this.root)) return undefined;
    let container: Container = this.root;
    for (const part of parts.slice(0, -1)) {
      const found = childOf(container, part);
      if ('failure' in found || !isContainer(found.value)) return undefined;
      container = found.value;
    }
    return { container, key: parts.at(-1) ?? '' };
  }

  private owned(container: Container): Container {
    if (this.own.has(container)) return container;
    // A spread keeps a key named `__proto__` as a key.
    const copy = Array.isArray(container) ? [...container] : { ...container };
    this.own.add(copy);
    return copy;
  }
}

/** Only copies made by `owned` are changed, so typing all containers as mutable is safe. */
function isContainer(value: Json | undefined): value is Container {
  return typeof value === 'object' && value !== null;
}
