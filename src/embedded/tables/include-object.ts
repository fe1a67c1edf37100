/**
 * The `includeObject` parameter: how much of its object a table row has.
 */
import { invalid, type Outcome, ok } from '../../base/errors.ts';
import { quoted } from '../../base/text/index.ts';

export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** Defaults to the metadata. The message of the problem is that of the response. */
export function parseIncludeObject(text: string | undefined): Outcome<IncludeObject> {
  switch (text) {
    case undefined:
    case '':
      return ok('Metadata');
    case 'None':
    case 'Metadata':
    case 'Object':
      return ok(text);
    default: {
      const why = `Invalid value: ${quoted(text)}: must be 'Metadata', 'Object', 'None', or empty`;
      return invalid([
        { path: '', message: `Unable to convert to Table as requested: includeObject: ${why}` },
      ]);
    }
  }
}
