/**
 * A change of one source file: exact text, which occurs exactly once.
 */
export type SourcePatch = { readonly file: string; readonly from: string; readonly to: string };

/** Throws where it does not apply: sources change, and a patch of nothing would prove nothing. */
export function applyPatch(source: string, { file, from, to }: SourcePatch): string {
  const count = source.split(from).length - 1;
  if (count !== 1) throw new Error(`${file}: the text to replace occurs ${count} times, not once: ${from}`);
  if (from === to) throw new Error(`${file}: the patch changes nothing: ${from}`);
  return source.replace(from, () => to);
}
