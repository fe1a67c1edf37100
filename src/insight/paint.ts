/**
 * Colours of a terminal. Where there are none, texts stay as they are.
 */
export type Style = 'bold' | 'dim' | 'good' | 'busy' | 'held' | 'bad';
export type Paint = (style: Style, text: string) => string;

/** The sixteen colours that every terminal has, in the shades that its owner chose. */
const CODES: { readonly [style in Style]: string } = {
  bold: '1',
  dim: '2',
  good: '32',
  busy: '33',
  held: '36',
  bad: '31',
};

export function paintWith(hasColors: boolean): Paint {
  return (style, text) => (hasColors && text !== '' ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text);
}
