/**
 * Words of a setting, with quotes and escapes as systemd reads them.
 */

/** Undefined where quotes do not match, or an escape is unknown: systemd passes over such a setting. */
export function splitWords(text: string, { isRelaxed = false } = {}): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '\\') {
      const escaped = readEscape(text.slice(at + 1));
      if (escaped === undefined && !isRelaxed) return undefined;
      word = (word ?? '') + (escaped?.text ?? `\\${text.charAt(at + 1)}`);
      at += escaped?.length ?? 1;
    } else if (quote !== '') {
      if (char === quote) quote = '';
      else word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  if (quote !== '' && !isRelaxed) return undefined;
  return word === undefined ? words : [...words, word];
}

function readEscape(text: string): { readonly text: string; readonly length: number } | undefined {
  const simple = SIMPLE_ESCAPES.get(text.charAt(0));
  if (simple !== undefined) return { text: simple, length: 1 };
  const code = /^(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|([0-7]{3}))/.exec(text);
  if (code === null) return undefined;
  const [all, hex, wide, octal] = code;
  const number = octal === undefined ? Number.parseInt(hex ?? wide ?? '', 16) : Number.parseInt(octal, 8);
  return { text: String.fromCodePoint(number), length: all.length };
}

const SIMPLE_ESCAPES: ReadonlyMap<string, string> = new Map([
  ...['\\', '"', "'", ';', ' '].map((char) => [char, char] as const),
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['s', ' '],
  ['t', '\t'],
  ['v', '\v'],
]);

/** The words of a command (`ExecStart=`) with variables expanded; the first one is the program. */
export function expandCommand(
  line: string,
  variables: ReadonlyMap<string, string>,
): readonly string[] | undefined {
  const prefix = /^[-@:+!|]*/.exec(line)?.[0] ?? '';
  const words = splitWords(line.slice(prefix.length));
  if (words === undefined || prefix.includes(':')) return words;
  return words.flatMap((word) => expandWord(word, variables));
}

/** A variable that is a whole word becomes none, one or more words; `${NAME}` inside a word does not end it. */
function expandWord(word: string, variables: ReadonlyMap<string, string>): readonly string[] {
  const whole = /^\$([A-Za-z_]\w*)$/.exec(word)?.[1];
  if (whole !== undefined) return splitWords(variables.get(whole) ?? '', { isRelaxed: true }) ?? [];
  return [
    word.replace(/\$(?:\$|\{([A-Za-z_]\w*)\})/g, (_, name?: string) =>
      name === undefined ? '$' : (variables.get(name) ?? ''),
    ),
  ];
}
