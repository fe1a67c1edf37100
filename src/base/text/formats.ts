/**
 * The string formats that the API server validates; all others are annotations only. Keys are without dashes, as the
 * server compares them.
 */
import { byteLength } from '../json.ts';
import { parseAddress, parseNetwork, parseSloppyAddress } from './addresses.ts';
import { compileRegex, isFound } from './regex.ts';
import { isDate, isDateTime, parseDuration } from './times.ts';
import { parseUrl } from './urls.ts';

type Accepts = (text: string) => boolean;

const HOSTNAME =
  '^([a-zA-Z0-9\\p{S}\\p{L}]((-?[a-zA-Z0-9\\p{S}\\p{L}]{0,62})?)|([a-zA-Z0-9\\p{S}\\p{L}](([a-zA-Z0-9-\\p{S}\\p{L}]{0,61}[a-zA-Z0-9\\p{S}\\p{L}])?)(\\.)){1,}([a-zA-Z\\p{L}]){2,63})$';
const COLOUR = '(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])';
const CARD =
  '^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\\d{3})\\d{11})$';

export const FORMATS: ReadonlyMap<string, Accepts> = new Map<string, Accepts>([
  ['datetime', isDateTime],
  ['date', isDate],
  ['duration', (text) => parseDuration(text) !== undefined],
  [
    'byte',
    matching('^(?:[A-Za-z0-9+\\/]{4})*(?:[A-Za-z0-9+\\/]{2}==|[A-Za-z0-9+\\/]{3}=|[A-Za-z0-9+\\/]{4})$'),
  ],
  ['password', () => true],
  ['uuid', uuid('[0-9a-f]{4}-?[0-9a-f]{4}')],
  ['uuid3', uuid('3[0-9a-f]{3}-?[0-9a-f]{4}')],
  ['uuid4', uuid('4[0-9a-f]{3}-?[89ab][0-9a-f]{3}')],
  ['uuid5', uuid('5[0-9a-f]{3}-?[89ab][0-9a-f]{3}')],
  ['ipv4', (text) => text.includes('.') && parseSloppyAddress(text) !== undefined],
  ['ipv6', (text) => text.includes(':') && parseAddress(text) !== undefined],
  ['cidr', (text) => parseNetwork(text) !== undefined],
  [
    'mac',
    matching(
      '(?i)^([0-9a-f]{2}([:-][0-9a-f]{2}){5}(([:-][0-9a-f]{2}){2}(([:-][0-9a-f]{2}){12})?)?|[0-9a-f]{4}(\\.[0-9a-f]{4}){2}((\\.[0-9a-f]{4})((\\.[0-9a-f]{4}){6})?)?)$',
    ),
  ],
  ['hostname', isHostname],
  ['email', isEmail],
  ['uri', (text) => 'url' in parseUrl(text)],
  ['hexcolor', matching('^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$')],
  ['rgbcolor', matching(`^rgb\\(\\s*${COLOUR}\\s*,\\s*${COLOUR}\\s*,\\s*${COLOUR}\\s*\\)$`)],
  ['ssn', (text) => text.length === 11 && matching('^\\d{3}[- ]?\\d{2}[- ]?\\d{4}$')(text)],
  ['bsonobjectid', matching('^[0-9a-fA-F]{24}$')],
  ['creditcard', isCreditCard],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
]);

function matching(pattern: string): Accepts {
  return (text) => {
    const regex = compileRegex(pattern);
    return regex.kind === 'regex' && isFound(regex, text);
  };
}

/** Dashes are optional, but only allowed between groups. */
function uuid(middle: string): Accepts {
  return matching(`(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?${middle}-?[0-9a-f]{12}$`);
}

function isHostname(text: string): boolean {
  const isShort = byteLength(text) <= 255 && text.split('.').every((label) => byteLength(label) <= 63);
  return isShort && matching(HOSTNAME)(text);
}

/** `name@host`, alone or in angle brackets after a display name; the rarer forms of RFC 5322 are rejected. */
function isEmail(text: string): boolean {
  const atoms = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
  const local = `(${atoms}(\\.${atoms})*|"([^"\\\\]|\\\\.)+")`;
  const address = `${local}@(${atoms}(\\.${atoms})*|\\[[^\\[\\]]+\\])`;
  return matching(`^\\s*(${address}|[^<>@,]*<${address}>)\\s*$`)(text);
}

/** Luhn checksum without separators. */
function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '');
  if (!matching(CARD)(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^(\d{9}X|\d{10})$/.test(digits)) return false;
  const sum = [...digits].reduce(
    (total, digit, index) => total + (index + 1) * (digit === 'X' ? 10 : Number(digit)),
    0,
  );
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  const sum = [...digits].reduce(
    (total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3),
    0,
  );
  return sum % 10 === 0;
}
