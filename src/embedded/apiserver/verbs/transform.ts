/** Transforms objects to a Table or to PartialObjectMetadata if the client asks for it. */
import type { Json, JsonObject } from '../../../base/json.ts';
import { badRequest } from '../../status/index.ts';
import {
  convertToTable,
  parseIncludeObject,
  partialMetadata,
  partialMetadataList,
} from '../../tables/index.ts';
import type { Call } from '../call.ts';
import type { ServerContext } from '../server-context.ts';
import { metadataOf } from '../store/stored-object.ts';
import type { ListMetadata } from './list-metadata.ts';

export function transformedList(
  server: ServerContext,
  call: Call,
  objects: readonly JsonObject[],
  metadata: ListMetadata,
): Json {
  const { format } = call;
  if (format.as === 'Table') {
    const { continue: token, ...rest } = metadata;
    // A Table omits an empty `continue`.
    const shown = token === undefined || token === '' ? rest : metadata;
    return table(server, call, { objects, metadata: shown, withColumns: true });
  }
  return asJson(partialMetadataList({ objects, metadata, apiVersion: `meta.k8s.io/${format.version}` }));
}

type ObjectOptions = {
  /** Only the first event of a watch contains the columns. */
  readonly withColumns: boolean;
};

export function transformedObject(
  server: ServerContext,
  call: Call,
  object: JsonObject,
  { withColumns }: ObjectOptions = { withColumns: true },
): Json {
  const { format } = call;
  if (format.as === 'object') return object;
  if (format.as === 'Table') {
    const { resourceVersion = '' } = metadataOf(object);
    return table(server, call, { objects: [object], metadata: { resourceVersion }, withColumns });
  }
  return asJson(partialMetadata(object, `meta.k8s.io/${format.version}`));
}

type Rows = {
  readonly objects: readonly JsonObject[];
  readonly metadata: ListMetadata;
  readonly withColumns: boolean;
};

function table(server: ServerContext, call: Call, rows: Rows): Json {
  const { resource, format } = call;
  return asJson(
    convertToTable({
      ...rows,
      resource,
      nowMs: server.env.clock.now(),
      includeObject: includeObjectOf(call),
      apiVersion: `meta.k8s.io/${format.version}`,
    }),
  );
}

/** For responses that are encoded when it is too late for an error. */
export function checkTableOptions(call: Call): void {
  if (call.format.as === 'Table') includeObjectOf(call);
}

function includeObjectOf({ query }: Call) {
  const includeObject = parseIncludeObject(query.text('includeObject'));
  if (includeObject.kind === 'invalid') throw badRequest(includeObject.problems[0]?.message ?? '');
  return includeObject.value;
}

/** Both are JSON, which their types do not show. */
function asJson(value: object): Json {
  return value as JsonObject;
}
