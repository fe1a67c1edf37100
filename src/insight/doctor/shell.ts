/**
 * Commands for people to copy into a shell. Names and images in them come from objects, messages and dumps of others: what a shell
 * would not read as one plain word is quoted.
 *
 *     shell`kubectl -n ${namespace} describe pdb ${['a', 'b']}`
 */
export function shell(
  texts: TemplateStringsArray,
  ...words: readonly (string | readonly string[])[]
): string {
  return texts
    .map((text, index) => {
      const word = words[index] ?? '';
      return `${text}${typeof word === 'string' ? quoted(word) : word.map(quoted).join(' ')}`;
    })
    .join('');
}

const PLAIN = /^[\w@%+=:,./-]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they would reach the terminal.
const CONTROL = /[\x00-\x1f\x7f-\x9f]/g;

function quoted(word: string): string {
  if (PLAIN.test(word)) return word;
  return `'${word.replaceAll(CONTROL, '?').replaceAll("'", "'\\''")}'`;
}
