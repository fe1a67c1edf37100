/**
 * Shortens a message for a line of text. Digests go first, then long names; the words between "expected" and what was found
 * stay, since without them the message says nothing.
 */

/** Beyond any comparison; more is not searched for one. */
const MAX_SCANNED = 8_192;

/** Texts up to `maxWhole` lose no words, only parts of digests and of long names. */
export function shortened(text: string, maxChars: number, maxWhole = maxChars): string {
  const steps = [(long: string) => long, withShortDigests, withShortWords];
  let short = truncateMiddle(text, MAX_SCANNED);
  for (const step of steps) {
    short = step(short);
    if (lengthOf(short) <= maxChars) return short;
  }
  if (lengthOf(short) <= maxWhole) return short;
  const comparison = /\bexpected\b.*?\b(?:have|had|got|received|reports)\b:? \S+(?: bytes\))?/.exec(short);
  if (comparison === null) return withFewerClauses(short, maxChars) ?? truncateMiddle(short, maxChars);
  const [kept] = comparison;
  const room = maxChars - lengthOf(kept);
  // Less could not even hold the gaps.
  if (room < 2 * GAP.length) return truncateMiddle(short, maxChars);
  const before = short.slice(0, comparison.index);
  const after = short.slice(comparison.index + kept.length);
  const end = cutEnd(after, Math.max(Math.floor(room / 3), room - lengthOf(before)));
  return `${cutEnd(before, room - lengthOf(end))}${kept}${end}`;
}

/** Of several reasons the first ones are whole, and so is the last clause, which says what to do. */
function withFewerClauses(text: string, maxChars: number): string | undefined {
  const clauses = text.split('; ');
  for (let kept = clauses.length - 2; kept > 0; kept--) {
    const left = [...clauses.slice(0, kept), `and ${clauses.length - 1 - kept} more`, clauses.at(-1)].join(
      '; ',
    );
    if (lengthOf(left) <= maxChars) return left;
  }
  return undefined;
}

/** Twelve digits, as tools show them. */
function withShortDigests(text: string): string {
  return text.replace(/\b(sha256:[0-9a-f]{12})[0-9a-f]{52}\b/g, (_, start: string) => `${start}...`);
}

const MAX_WORD = 64;

/** The end of a name says most: of an image the tag or digest, of a path the file. */
function withShortWords(text: string): string {
  return text.replace(new RegExp(`\\S{${MAX_WORD + 1},}`, 'gu'), (word) => {
    const characters = [...word];
    const head = Math.floor((MAX_WORD - ELLIPSIS.length) / 3);
    const tail = MAX_WORD - ELLIPSIS.length - head;
    return `${characters.slice(0, head).join('')}${ELLIPSIS}${characters.slice(-tail).join('')}`;
  });
}

/** Keeps the end, where daemons report the cause. */
function truncateMiddle(text: string, maxChars: number): string {
  const characters = [...text];
  if (characters.length <= maxChars) return text;
  const head = Math.floor((maxChars - GAP.length) / 3);
  const tail = maxChars - GAP.length - head;
  return `${wholeWords(characters.slice(0, head + 1), -1)}${GAP}${wholeWords(characters.slice(-tail - 1), 1)}`;
}

function cutEnd(text: string, maxChars: number): string {
  const characters = [...text];
  if (characters.length <= maxChars) return text;
  return `${wholeWords(characters.slice(0, maxChars - GAP.length + 1), -1)}${GAP}`;
}

/**
 * Removes the character at the cut side (-1: the end, 1: the beginning), which no longer belongs to the text, with the word that it
 * would break. A word of more than half of the text is broken all the same: too little would be left.
 */
function wholeWords(characters: readonly string[], side: -1 | 1): string {
  const text = characters.join('');
  const whole = side < 0 ? text.replace(/\s*\S*$/u, '') : text.replace(/^\S*\s*/u, '');
  if (lengthOf(whole) * 2 > characters.length) return whole;
  return (side < 0 ? characters.slice(0, -1) : characters.slice(1)).join('');
}

function lengthOf(text: string): number {
  return [...text].length;
}

const ELLIPSIS = '...';
const GAP = ` ${ELLIPSIS} `;
