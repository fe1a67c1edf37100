/**
 * Kernel arguments. One entry of a config may contain several; quotes protect spaces. Their order matters, and an argument may
 * occur twice (`hugepagesz=1G hugepages=4 hugepagesz=2M hugepages=512`).
 */

/** For a host: remove these as far as they exist, then append those. */
export type KernelArgumentChange = { readonly remove: readonly string[]; readonly append: readonly string[] };

/** Each argument by itself, with its quotes. */
export function splitKernelArguments(entries: readonly string[]): readonly string[] {
  return entries.flatMap((entry) => entry.match(ARGUMENT) ?? []);
}

/** An unclosed quote extends to the end. */
const ARGUMENT = /(?:[^\s"]|"[^"]*(?:"|$))+/g;

/** All old ones are removed and all new ones appended, as that gives the new order. */
export function kernelArgumentChange(
  before: readonly string[],
  after: readonly string[],
): KernelArgumentChange {
  return { remove: splitKernelArguments(before), append: splitKernelArguments(after) };
}

/** The expected arguments that are missing. Others may be present, in any order. */
export function missingKernelArguments(
  expected: readonly string[],
  observed: readonly string[],
): readonly string[] {
  // The machine's list may be split at every space; quotes apply once it is joined.
  const there = new Set([...observed, ...splitKernelArguments([observed.join(' ')])]);
  return splitKernelArguments(expected).filter((argument) => !there.has(argument));
}
