/**
 * What goes in front of the bytes of the store, so that they can be shown without a look at them. Undefined where they
 * need one: because they are shown otherwise than they are kept, or were not written under the schema of today.
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

/** For objects of custom kinds, which say in lists too what they are. */
export function customPrefix(
  server: ServerContext,
  resource: Resource,
  { revision }: Pick<Entry, 'revision'>,
): string | undefined {
  const custom = server.catalog.customOf(resource);
  if (custom === undefined || revision < custom.unchangedSince) return undefined;
  // In one of several versions an object is kept, and not all of it need be known to the others.
  if (custom.resources.length > 1) return undefined;
  return `"apiVersion":${JSON.stringify(apiVersionOf(resource))},"kind":${JSON.stringify(resource.kind)},`;
}
