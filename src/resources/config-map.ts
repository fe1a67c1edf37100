/**
 * ConfigMaps: their keys become names of files, their size is limited, and they can be sealed.
 */
import { configMap } from '../builtin/index.ts';
import type { Problem } from '../errors.ts';
import { byteLength, type JsonObject } from '../json.ts';
import { base64Length } from './base64-text.ts';
import { invalidText, tooLong } from './field-problems.ts';
import { textMapAt } from './json-fields.ts';
import { configKeyProblems } from './names-in-fields.ts';
import { builtinRules } from './rules.ts';
import { sealedProblems } from './sealed.ts';

const MAX_BYTES = 2 ** 20;

export const configMapRules = builtinRules({
  of: configMap,
  checkCreate: contentProblems,
  checkUpdate: (object, old) => [
    ...sealedProblems(object, old, ['data', 'binaryData']),
    ...contentProblems(object),
  ],
});

function contentProblems(object: JsonObject): readonly Problem[] {
  const texts = textMapAt(object, 'data') ?? {};
  const bytes = textMapAt(object, 'binaryData') ?? {};
  const size =
    Object.values(texts).reduce((sum, text) => sum + byteLength(text), 0) +
    Object.values(bytes).reduce((sum, text) => sum + base64Length(text), 0);
  return [
    ...Object.keys(texts).flatMap((key) => [
      ...configKeyProblems(`data[${key}]`, key),
      ...(Object.hasOwn(bytes, key)
        ? [invalidText(`data[${key}]`, key, 'duplicate of key present in binaryData')]
        : []),
    ]),
    ...Object.keys(bytes).flatMap((key) => configKeyProblems(`binaryData[${key}]`, key)),
    // The server blames the object as a whole, and an empty path is written so.
    ...(size > MAX_BYTES ? [tooLong('[]', MAX_BYTES)] : []),
  ];
}
