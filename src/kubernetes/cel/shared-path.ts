/**
 * The path of an expression in the object: `self`, `list`, `@items`, `name`.
 *
 * The server's estimator appends to Go slices that share a backing array. So two fields of one loop variable (`x.a` and
 * `x.b`) may share an element, and the path of the first becomes that of the second while the first is still in use:
 * its size is then estimated as the other's. CRDs have been tuned until these estimates were accepted, so ours must be
 * the same.
 */

export type SharedPath = { readonly memory: Memory; readonly length: number };

/** The backing array of a slice, with its capacity. */
type Memory = { readonly steps: string[]; readonly capacity: number };

export const NO_PATH: SharedPath = { memory: { steps: [], capacity: 0 }, length: 0 };

export function pathTo(name: string): SharedPath {
  return { memory: { steps: [name], capacity: 1 }, length: 1 };
}

/**
 * Like Go's append: overwrites the next element if there is capacity, else copies into an array of twice the
 * size.
 */
export function extended({ memory, length }: SharedPath, step: string): SharedPath {
  if (length < memory.capacity) {
    memory.steps[length] = step;
    return { memory, length: length + 1 };
  }
  const steps = [...memory.steps.slice(0, length), step];
  return { memory: { steps, capacity: Math.max(1, 2 * memory.capacity) }, length: length + 1 };
}

/** The current elements. */
export function stepsOf({ memory, length }: SharedPath): readonly string[] {
  return memory.steps.slice(0, length);
}
