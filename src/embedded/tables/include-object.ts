/**
 * How much of its object a row of a table carries: the parameter `includeObject`.
 */
import { invalid, type Outcome, ok } from '../../base/errors.ts';
import { quoted } from '../../base/text/index.ts';

export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** The metadata, where nothing is said. The message of the problem is the one of the answer. */
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
