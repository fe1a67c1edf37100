/**
 * The strategy of ConfigMaps: keys must be valid file names, the size is limited, and the data can be immutable.
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
  // The error is on the object as a whole, whose empty path kube-apiserver prints as `[]`.
  if (size > MAX_BYTES) problems.push(tooLong('[]', MAX_BYTES));
  return problems;
}
