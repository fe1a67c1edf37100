/** The verb of a request, in the words of access rules. */

import { parseFieldSelector } from '../../kubernetes/selectors/index.ts';
import { nameInFieldSelector } from './field-selector.ts';
import type { ResourceInfo } from './request-info.ts';
import type { Query } from './verbs/query-options.ts';

type VerbOfRequest = {
  readonly verb: string;
  /** Whom the request is about: lists and watches of one name count as being about that object. */
  readonly name: string;
};

export function verbOf(method: string, info: ResourceInfo, query: Query): VerbOfRequest {
  const { name } = info;
  switch (method) {
    case 'POST':
      return { verb: 'create', name };
    case 'PUT':
      return { verb: 'update', name };
    case 'PATCH':
      return { verb: 'patch', name };
    case 'DELETE':
      return { verb: name === '' ? 'deletecollection' : 'delete', name };
    default: {
      const isWatch = info.isOldWatch || (name === '' && query.flag('watch'));
      if (name !== '' && !isWatch) return { verb: 'get', name };
      return { verb: isWatch ? 'watch' : 'list', name: name === '' ? selectedName(query) : name };
    }
  }
}

function selectedName(query: Query): string {
  const selector = parseFieldSelector(query.text('fieldSelector'));
  return selector.kind === 'invalid' ? '' : (nameInFieldSelector(selector.value) ?? '');
}
