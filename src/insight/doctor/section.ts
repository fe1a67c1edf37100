/** Where the documentation explains a code. */
export function sectionOf(code: string): string {
  return `docs/troubleshooting.md#${code.toLowerCase()}`;
}
