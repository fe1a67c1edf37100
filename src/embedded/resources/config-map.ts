/**
 * ConfigMaps: their keys become names of files, their size is limited, and they can be sealed.
 */

import type { Problem } from '../../base/errors.ts';
import { byteLength, type JsonObject } from '../../base/json.ts';
import { stringMapAt } from '../../base/json-fields.ts';
import { configMap } from '../../kubernetes/types/index.ts';
import { builtinStrategy } from './builtin-strategy.ts';
import { base64Length } from './decoding/base64-text.ts';
import { invalidText, tooLong } from './field-problems.ts';
import { immutableDataProblems } from './immutable-data.ts';
import { configKeyProblems } from './name-problems.ts';

const MAX_BYTES = 2 ** 20;

export const configMapStrategy = builtinStrategy({
  of: configMap,
  validateCreate: contentProblems,
  validateUpdate: (object, old) => [
    ...immutableDataProblems(object, old, ['data', 'binaryData']),
    ...contentProblems(object),
  ],
});

function contentProblems(object: JsonObject): readonly Problem[] {
  const texts = stringMapAt(object, 'data');
  const bytes = stringMapAt(object, 'binaryData');
  const problems: Problem[] = [];
  let size = 0;
  for (const key of Object.keys(texts)) {
    size += byteLength(texts[key] ?? '');
    problems.push(...configKeyProblems(() => `data[${key}]`, key));
    if (Object.hasOwn(bytes, key)) {
      problems.push(invalidText(`data[${key}]`, key, 'duplicate of key present in binaryData'));
    }
  }
  for (const key of Object.keys(bytes)) {
    size += base64Length(bytes[key] ?? '');
    problems.push(...configKeyProblems(() => `binaryData[${key}]`, key));
  }
  // The server blames the object as a whole, and an empty path is written so.
  if (size > MAX_BYTES) problems.push(tooLong('[]', MAX_BYTES));
  return problems;
}
