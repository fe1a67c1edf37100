/**
 * Kernel arguments. One entry of a config may hold several; quotes keep spaces together. Their order means something, and
 * the same one may come twice (`hugepagesz=1G hugepages=4 hugepagesz=2M hugepages=512`).
 */

/** What a host is asked to do: take these away where they are there, then append those. */
export type KernelArgumentChange = { readonly remove: readonly string[]; readonly append: readonly string[] };

/** Each argument by itself, quotes kept as they are written. */
export function splitKernelArguments(entries: readonly string[]): readonly string[] {
  return entries.flatMap((entry) => entry.match(ARGUMENT) ?? []);
}

/** A quote that is not closed reaches to the end. */
const ARGUMENT = /(?:[^\s"]|"[^"]*(?:"|$))+/g;

/** All old ones go and all new ones come, since only so is the order the new one. */
export function kernelArgumentChange(
  before: readonly string[],
  after: readonly string[],
): KernelArgumentChange {
  return { remove: splitKernelArguments(before), append: splitKernelArguments(after) };
}

/** Those that should be there and are not. Others may be there too, and in any order. */
export function missingKernelArguments(
  expected: readonly string[],
  observed: readonly string[],
): readonly string[] {
  // What the machine lists may be cut at every space; put together again, quotes count.
  const there = new Set([...observed, ...splitKernelArguments([observed.join(' ')])]);
  return splitKernelArguments(expected).filter((argument) => !there.has(argument));
}
