/**
 * The small languages of Kubernetes' texts: times, durations, quantities, addresses, URLs, regular expressions
 * and the named formats of schemas, each read as Go reads it, and values printed as Go prints them.
 *
 * Validation, CEL and Ignition share them, so that one text is judged alike everywhere.
 *
 * Not here: names of objects and labels (`api`), and any document format (`yaml`, `ignition`).
 */
export * from './addresses.ts';
export * from './base64.ts';
export * from './formats.ts';
export * from './go-text.ts';
export * from './json-scan.ts';
export * from './printable.ts';
export * from './quantity.ts';
export * from './quantity-text.ts';
export * from './regex.ts';
export * from './times.ts';
export * from './urls.ts';
