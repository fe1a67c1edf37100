/**
 * Validation of a version except for its schema: columns, subresources, selectable fields and deprecation.
 */
import type { Problem } from '../../base/errors.ts';
import { byteLength } from '../../base/json.ts';
import { isPrint, quoted } from '../../base/text/index.ts';
import { findField } from '../../kubernetes/validation/index.ts';
import { duplicate, invalidText, required, tooMany } from '../resources/index.ts';
import { type CrdVersion, type SchemaProps, structural } from './crd.ts';
import type { TopLevelFields } from './internal-spec.ts';
import { conversionFailure } from './validate-structural.ts';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

export function columnProblems(
  columns: TopLevelFields['additionalPrinterColumns'],
  path: string,
): readonly Problem[] {
  return (columns ?? []).flatMap((column, index) => {
    const at = `${path}[${index}]`;
    const { type, format = '' } = column;
    const oneOf = (values: readonly string[]): string => `must be one of ${values.join(',')}`;
    return [
      ...(column.name === '' ? [required(`${at}.name`)] : []),
      ...(type === '' ? [required(`${at}.type`, oneOf(COLUMN_TYPES))] : []),
      ...(type === '' || COLUMN_TYPES.includes(type)
        ? []
        : [invalidText(`${at}.type`, type, oneOf(COLUMN_TYPES))]),
      ...(format === '' || COLUMN_FORMATS.includes(format)
        ? []
        : [invalidText(`${at}.format`, format, oneOf(COLUMN_FORMATS))]),
      ...pathProblems(column.jsonPath, { path: `${at}.JSONPath` }),
    ];
  });
}

export function subresourceProblems(
  subresources: TopLevelFields['subresources'],
  path: string,
): readonly Problem[] {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = '' } = scale;
  return [
    ...pathProblems(specReplicasPath, { path: `${path}.scale.specReplicasPath`, below: ['.spec'] }),
    ...pathProblems(statusReplicasPath, { path: `${path}.scale.statusReplicasPath`, below: ['.status'] }),
    ...(labelSelectorPath === ''
      ? []
      : pathProblems(labelSelectorPath, {
          path: `${path}.scale.labelSelectorPath`,
          below: ['.spec', '.status'],
        })),
  ];
}

/** A simple JSON path starts with a dot. `below`: the required prefix. */
function pathProblems(
  text: string,
  { path, below = [] }: { readonly path: string; readonly below?: readonly string[] },
): readonly Problem[] {
  if (text === '') return [required(path)];
  if (!text.startsWith('.')) return [invalidText(path, text, 'must be a simple json path starting with .')];
  if (below.length === 0 || below.some((root) => text.startsWith(`${root}.`))) return [];
  const roots = below.length === 1 ? below.join() : `either ${below.join(' or ')}`;
  return [invalidText(path, text, `should be a json path under ${roots}`)];
}

const MAX_SELECTABLE_FIELDS = 8;

export function selectableProblems(
  fields: TopLevelFields['selectableFields'],
  schema: SchemaProps,
  parent: string,
): readonly Problem[] {
  if (fields === undefined) return [];
  const path = `${parent}.selectableFields`;
  const failure = conversionFailure(schema);
  if (failure !== undefined) return [invalidText(`${parent}.schema.openAPIV3Schema`, '', failure)];
  const known = new Set<string>();
  const problems: Problem[] = [];
  for (const [index, { jsonPath }] of fields.entries()) {
    const at = `${path}[${index}].jsonPath`;
    if (jsonPath === '') {
      problems.push(required(at));
      continue;
    }
    const found = findField(structural(schema), jsonPath, { allowsBrackets: false });
    if (found.kind === 'bad') {
      problems.push(invalidText(at, jsonPath, `is an invalid path: ${found.error}`));
      continue;
    }
    if (found.steps[0] === 'metadata') {
      problems.push(invalidText(at, jsonPath, 'must not point to fields in metadata'));
    }
    if (!['string', 'boolean', 'integer'].includes(found.schema.type ?? '')) {
      problems.push(invalidText(at, jsonPath, NOT_SELECTABLE));
    }
    if (known.has(found.path)) problems.push(duplicate(at, quoted(jsonPath)));
    known.add(found.path);
  }
  if (known.size > MAX_SELECTABLE_FIELDS) problems.push(tooMany(path, known.size, MAX_SELECTABLE_FIELDS));
  return problems;
}

const NOT_SELECTABLE =
  'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';

const MAX_WARNING_BYTES = 256;

export function deprecationProblems(
  { deprecated, deprecationWarning }: CrdVersion,
  path: string,
): readonly Problem[] {
  if (deprecationWarning === undefined) return [];
  return deprecationMessages(deprecated ?? false, deprecationWarning).map((detail) =>
    invalidText(`${path}.deprecationWarning`, deprecationWarning, detail),
  );
}

function deprecationMessages(isDeprecated: boolean, warning: string): readonly string[] {
  if (!isDeprecated) return ['can only be set for deprecated versions'];
  const messages: string[] = [];
  if (byteLength(warning) > MAX_WARNING_BYTES) messages.push('must be <= 256 characters long');
  if (warning === '') messages.push('must not be an empty string');
  const characters = [...warning];
  const location = characters.findIndex((character) => !isPrint(character));
  if (location >= 0) {
    const index = byteLength(characters.slice(0, location).join(''));
    const what = 'must only contain printable UTF-8 characters';
    messages.push(`${what}; non-printable character found at index ${index}`);
  }
  return messages;
}

/** The warning for clients of a deprecated version; undefined if it is not deprecated. */
export function deprecationText(
  { group, kind }: { readonly group: string; readonly kind: string },
  { name, deprecated, deprecationWarning }: CrdVersion,
): string | undefined {
  if (!deprecated) return undefined;
  return deprecationWarning ?? `${group}/${name} ${kind} is deprecated`;
}
