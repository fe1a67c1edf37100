/**
 * Where a part of a rule stands in the object: `self`, `list`, `@items`, `name`.
 *
 * The server's estimator keeps the steps of several paths in one piece of memory. Two fields of one loop variable
 * (`x.a` and `x.b`) may so share a place, and the path of the first turns into that of the second while the first
 * is still in use: its size is then taken for the other's. Definitions have been written until the estimates that
 * come out were accepted, so the same has to come out here.
 */

export type SharedPath = { readonly memory: Memory; readonly length: number };

/** As many places as were asked for when it was made, of which some may be free. */
type Memory = { readonly steps: string[]; readonly capacity: number };

export const NO_PATH: SharedPath = { memory: { steps: [], capacity: 0 }, length: 0 };

export function pathTo(name: string): SharedPath {
  return { memory: { steps: [name], capacity: 1 }, length: 1 };
}

/** Takes the next place of the memory if there is one, whoever has used it before; else twice as much memory. */
export function extended({ memory, length }: SharedPath, step: string): SharedPath {
  if (length < memory.capacity) {
    memory.steps[length] = step;
    return { memory, length: length + 1 };
  }
  const steps = [...memory.steps.slice(0, length), step];
  return { memory: { steps, capacity: Math.max(1, 2 * memory.capacity) }, length: length + 1 };
}

/** The steps as they are now. */
export function stepsOf({ memory, length }: SharedPath): readonly string[] {
  return memory.steps.slice(0, length);
}
