/**
 * Objects as rows of a Table or as their metadata alone, where the client asked for that.
 */
import type { Json, JsonObject } from '../../../base/json.ts';
import { badRequest } from '../../status/index.ts';
import {
  convertToTable,
  parseIncludeObject,
  partialMetadata,
  partialMetadataList,
} from '../../tables/index.ts';
import type { Call, World } from '../call.ts';
import { metadataOf } from '../store/stored-object.ts';
import type { ListMetadata } from './list-metadata.ts';

export function transformedList(
  world: World,
  call: Call,
  objects: readonly JsonObject[],
  metadata: ListMetadata,
): Json {
  const { form } = call;
  if (form.as === 'Table') {
    const { continue: token, ...rest } = metadata;
    // A Table says nothing where nothing follows, also where the list would.
    const shown = token === undefined || token === '' ? rest : metadata;
    return table(world, call, { objects, metadata: shown, withColumns: true });
  }
  return asJson(partialMetadataList({ objects, metadata, apiVersion: `meta.k8s.io/${form.version}` }));
}

type ObjectOptions = {
  /** Only the first row of a watch brings its columns. */
  readonly withColumns: boolean;
};

export function transformedObject(
  world: World,
  call: Call,
  object: JsonObject,
  { withColumns }: ObjectOptions = { withColumns: true },
): Json {
  const { form } = call;
  if (form.as === 'object') return object;
  if (form.as === 'Table') {
    const { resourceVersion = '' } = metadataOf(object);
    return table(world, call, { objects: [object], metadata: { resourceVersion }, withColumns });
  }
  return asJson(partialMetadata(object, `meta.k8s.io/${form.version}`));
}

type Rows = {
  readonly objects: readonly JsonObject[];
  readonly metadata: ListMetadata;
  readonly withColumns: boolean;
};

function table(world: World, call: Call, rows: Rows): Json {
  const { resource, form } = call;
  return asJson(
    convertToTable({
      ...rows,
      resource,
      nowMs: world.env.clock.now(),
      includeObject: includeObjectOf(call),
      apiVersion: `meta.k8s.io/${form.version}`,
    }),
  );
}

/** For answers that are made once nothing can be refused any more. */
export function refuseTableOptions(call: Call): void {
  if (call.form.as === 'Table') includeObjectOf(call);
}

function includeObjectOf({ query }: Call) {
  const includeObject = parseIncludeObject(query.text('includeObject'));
  if (includeObject.kind === 'invalid') throw badRequest(includeObject.problems[0]?.message ?? '');
  return includeObject.value;
}

/** Tables and metadata are made of JSON, which their types do not say. */
function asJson(value: object): Json {
  return value as JsonObject;
}
