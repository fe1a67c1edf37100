/**
 * The operations of a resource in a document: parameters, request bodies, responses.
 */
import type { KindName } from '../../kubernetes/types/index.ts';
import { metaNames } from './meta-definitions.ts';
import { type Parameter, parametersOf, queryParameters } from './openapi-parameters.ts';
import { type OpenApiSchema, referenceTo } from './openapi-schema.ts';
import { type OperationName, operationId, operationTag } from './operation-ids.ts';

export type Operation = {
  readonly [key: string]: unknown;
  readonly parameters: readonly Parameter[];
};

export type Subject = Omit<OperationName, 'verb'> & {
  readonly origin: 'builtin' | 'custom';
  /** The kind of the request and response: that of the subresource, or else of the resource. */
  readonly takes: KindName;
  /** The full names of the definitions of that kind and of its list. */
  readonly schema: string;
  readonly listSchema?: string;
};

type Verb = OperationName['verb'];

export function operationOf(verb: Verb, subject: Subject): Operation {
  const { takes } = subject;
  const isLog = subject.subresource === 'log';
  return {
    tags: [operationTag(subject)],
    description: describe(verb, subject),
    operationId: operationId({ verb, ...subject }),
    parameters: queryParameters(['pretty', ...parametersOf[isLog ? 'log' : verb]]),
    ...bodyOf(verb, subject),
    responses: {
      ...(isLog ? logResponses : responsesOf(verb, subject)),
      '401': { description: 'Unauthorized' },
    },
    'x-kubernetes-action': ACTIONS[verb],
    'x-kubernetes-group-version-kind': { group: takes.group, version: takes.version, kind: takes.kind },
  };
}

const ACTIONS: { readonly [V in Verb]: string } = {
  list: 'list',
  create: 'post',
  deletecollection: 'deletecollection',
  get: 'get',
  update: 'put',
  delete: 'delete',
  patch: 'patch',
};

function describe(verb: Verb, { kind, subresource }: Subject): string {
  const noun = withArticle(kind);
  const ofSubresource = subresource === undefined ? '' : `${subresource} of `;
  switch (verb) {
    case 'list':
      return `list or watch objects of kind ${kind}`;
    case 'create':
      return `create ${ofSubresource}${noun}`;
    case 'deletecollection':
      return `delete collection of ${kind}`;
    case 'get':
      return `read ${ofSubresource}the specified ${kind}`;
    case 'update':
      return `replace ${ofSubresource}the specified ${kind}`;
    case 'delete':
      return `delete ${noun}`;
    case 'patch':
      return `partially update ${ofSubresource}the specified ${kind}`;
  }
}

/** `a Pod`, `an Event`, and `Endpoints`, which is a plural. */
function withArticle(kind: string): string {
  if (/[^s]s$/.test(kind)) return kind;
  return `${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}`;
}

function bodyOf(verb: Verb, { origin, schema }: Subject): { readonly requestBody?: OpenApiSchema } {
  const types = origin === 'builtin' ? ['*/*'] : RESPONSE_TYPES;
  switch (verb) {
    case 'create':
    case 'update':
      return { requestBody: { content: contentOf(types, referenceTo(schema)), required: true } };
    case 'delete':
    case 'deletecollection':
      return { requestBody: { content: contentOf(types, referenceTo(metaNames.deleteOptions)) } };
    case 'patch': {
      const patches = origin === 'builtin' ? [...PATCH_TYPES, STRATEGIC_PATCH] : PATCH_TYPES;
      return { requestBody: { content: contentOf(patches, referenceTo(metaNames.patch)), required: true } };
    }
    default:
      return {};
  }
}

/** The media types of responses; request bodies of built-in kinds may be in protobuf too. */
const RESPONSE_TYPES = ['application/json', 'application/yaml'];
const PATCH_TYPES = [
  'application/apply-patch+yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
];
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';

type Responses = { readonly [status: string]: OpenApiSchema };

function responsesOf(verb: Verb, { schema, listSchema, kind, origin }: Subject): Responses {
  switch (verb) {
    case 'list':
      return {
        '200': {
          description: 'OK',
          content: {
            ...contentOf(RESPONSE_TYPES, referenceTo(listSchema ?? schema)),
            'application/json;stream=watch': { schema: referenceTo(metaNames.watchEvent) },
          },
        },
      };
    case 'create':
      return responsesWith(schema, ['200', '201', '202']);
    case 'get':
      return responsesWith(schema, ['200']);
    case 'update':
    case 'patch':
      return responsesWith(schema, ['200', '201']);
    case 'deletecollection':
      return responsesWith(metaNames.status, ['200']);
    case 'delete': {
      const showsObject = origin === 'builtin' && SHOWN_WHEN_DELETED.has(kind);
      return responsesWith(showsObject ? schema : metaNames.status, ['200', '202']);
    }
  }
}

/** Kinds whose deletion returns the object. */
const SHOWN_WHEN_DELETED: ReadonlySet<string> = new Set(['Pod', 'Service', 'ServiceAccount']);

const logResponses: Responses = {
  '200': { description: 'OK', content: contentOf(['text/plain'], { type: 'string' }) },
};

const REASONS = new Map([
  ['200', 'OK'],
  ['201', 'Created'],
  ['202', 'Accepted'],
]);

export function responsesWith(schema: string, statuses: readonly string[]): Responses {
  const content = contentOf(RESPONSE_TYPES, referenceTo(schema));
  return Object.fromEntries(
    statuses.map((status) => [status, { description: REASONS.get(status), content }]),
  );
}

function contentOf(types: readonly string[], schema: OpenApiSchema): OpenApiSchema {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}
