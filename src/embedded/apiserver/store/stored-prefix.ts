/**
 * The fields to insert before stored bytes so that they can be sent without decoding. Undefined if they must be
 * decoded: for another version, or if they were written under another schema.
 */
import { apiVersionOf } from '../../../kubernetes/meta/index.ts';
import type { Resource } from '../../resources/index.ts';
import type { ServerContext } from '../server-context.ts';
import { isShownAsStored } from './records.ts';
import type { Entry } from './store.ts';

export function storedPrefix(
  server: ServerContext,
  resource: Resource,
  entry: Pick<Entry, 'revision'>,
): string | undefined {
  if (resource.origin === 'custom') return customPrefix(server, resource, entry);
  if (!isShownAsStored(resource)) return undefined;
  return `"kind":${JSON.stringify(resource.kind)},"apiVersion":${JSON.stringify(apiVersionOf(resource))},`;
}

/** For custom resources, which have kind and version in lists too. */
export function customPrefix(
  server: ServerContext,
  resource: Resource,
  { revision }: Pick<Entry, 'revision'>,
): string | undefined {
  const custom = server.catalog.customOf(resource);
  if (custom === undefined || revision < custom.unchangedSince) return undefined;
  // Objects are stored in one version; others may not have all of its fields.
  if (custom.resources.length > 1) return undefined;
  return `"apiVersion":${JSON.stringify(apiVersionOf(resource))},"kind":${JSON.stringify(resource.kind)},`;
}
