/**
 * String formats of Kubernetes: times, durations, quantities, addresses, URLs, regular expressions and the named
 * formats of schemas, each parsed as Go parses it, and values printed as Go prints them; the limits of file names, and the order in which
 * programs in Go read them.
 *
 * Validation, CEL and Ignition share them, so that a string is judged the same everywhere.
 *
 * Not here: names of objects and labels (`kubernetes/meta`), and document formats (`base/yaml`, `config/ignition`).
 */
export {
  type Address,
  addressText,
  containsAddress,
  isMapped,
  masked,
  type Network,
  parseAddress,
  parseNetwork,
  parseSloppyAddress,
} from './addresses.ts';
export { base64Bytes, base64Text, base64UrlText } from './base64.ts';
export { counted } from './counted.ts';
export { isPathWithinLimits, MAX_FILE_NAME_BYTES, MAX_PATH_BYTES, tooLongName } from './file-names.ts';
export { FORMATS } from './formats.ts';
export {
  floatText,
  goType,
  isPrint,
  isWhole,
  literal,
  NAMED_ESCAPES,
  numeral,
  quoted,
  shown,
} from './go-text.ts';
export { ageOf, formatGoDuration, humanDuration } from './human-duration.ts';
export { countKeys, duplicateKeys, holdsMoreThan, readJson, scanJson } from './json-scan.ts';
export { type DiffLine, type Hunk, lineDiff } from './line-diff.ts';
export { didYouMean, nearestName } from './nearest-name.ts';
export { oneLine } from './one-line.ts';
export { joinPemBundles, pemCertificates } from './pem.ts';
export { printable, printableLine } from './printable.ts';
export { addQuantities, compareQuantities, parseQuantity, type Quantity, wholeNumber } from './quantity.ts';
export { readQuantity } from './quantity-text.ts';
export { compileRegex, isFound, type Regex } from './regex.ts';
export { spellDuration } from './spell-duration.ts';
export {
  type Civil,
  civilTime,
  durationText,
  isDateTime,
  parseDate,
  parseDateTime,
  parseDuration,
  parseGoDuration,
  timeText,
} from './times.ts';
export { formatMicroTimestamp, formatMilliTimestamp, formatTimestamp, parseTimestamp } from './timestamps.ts';
export { escapedPath, hostname, parseUrl, port, queryValues, schemeOf, type Url } from './urls.ts';
export { inWalkOrder } from './walk-order.ts';
