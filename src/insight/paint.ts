/**
 * Terminal colours; without them text is unchanged.
 */
export type Style = 'bold' | 'dim' | 'good' | 'busy' | 'held' | 'bad';
export type Paint = (style: Style, text: string) => string;

/** Of the 16 standard ANSI colours. */
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
