/**
 * Splits a text into documents.
 *
 * kubectl splits at lines of dashes before it parses anything, so an unclosed quote in one document does not swallow
 * the others. It also accepts several JSON objects in a row, which is not YAML; each of them alone is, so they are
 * separated here and parsed as YAML.
 */

export type TextRange = { readonly start: number; readonly end: number };

export type SplitText = { readonly kind: 'json' | 'yaml'; readonly ranges: readonly TextRange[] };

export function splitText(text: string): SplitText {
  const values = splitJson(text);
  return values === undefined
    ? { kind: 'yaml', ranges: splitDocuments(text) }
    : { kind: 'json', ranges: values };
}

function splitDocuments(text: string): readonly TextRange[] {
  const ranges: TextRange[] = [];
  let start = 0;
  for (const separator of text.matchAll(/^---.*$/gm)) {
    ranges.push({ start, end: separator.index });
    start = separator.index + separator[0].length;
  }
  ranges.push({ start, end: text.length });
  // Only comments before the first separator: it opens the first document.
  const [first] = ranges;
  const above = text.slice(first?.start, first?.end);
  const hasContent = /^[ \t]*[^\s#]/m.test(above);
  return ranges.length > 1 && !hasContent ? ranges.slice(1) : ranges;
}

/** The values; undefined when the text is not a plain sequence of objects. */
function splitJson(text: string): readonly TextRange[] | undefined {
  const ranges: TextRange[] = [];
  let start = skipSpace(text, 0);
  while (start < text.length) {
    if (text[start] !== '{') return undefined;
    const end = endOfValue(text, start);
    if (end === undefined) return undefined;
    ranges.push({ start, end });
    start = skipSpace(text, end);
  }
  return ranges.length === 0 ? undefined : ranges;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \t\r\n'.includes(text.charAt(at))) at++;
  return at;
}

function endOfValue(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    switch (text[at]) {
      case '{':
      case '[':
        depth++;
        break;
      case '}':
      case ']':
        depth--;
        if (depth === 0) return at + 1;
        break;
      case '"':
        at = endOfString(text, at);
        break;
      default:
    }
  }
  return undefined;
}

/** The offset of the closing quote, or of the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}
