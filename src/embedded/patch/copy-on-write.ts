/**
 * A document that is edited step by step while the one it came from stays as it was: what is touched is copied
 * once, the rest is shared.
 */
import type { Json } from '../../base/json.ts';
import { type Container, childOf, pointerParts, setChild } from './json-pointer.ts';

/** The container in which a path ends, and the last name of the path. */
type Location = { readonly container: Container; readonly key: string };

export class CopyOnWriteDocument {
  root: Json;
  /** Containers that were made here, and may be changed. */
  private readonly own = new WeakSet<object>();

  constructor(document: Json) {
    this.root = document;
  }

  /** Where a path ends, to be changed; nothing where a part of it is missing or holds no children. */
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

  /** Where a path ends, to be read. */
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
    // A spread keeps a key that is named like the prototype as a key.
    const copy = Array.isArray(container) ? [...container] : { ...container };
    this.own.add(copy);
    return copy;
  }
}

/** Only those that `owned` has given are changed, so that it is no lie to call them all editable. */
function isContainer(value: Json | undefined): value is Container {
  return typeof value === 'object' && value !== null;
}
