/** How kube-apiserver names an object and its kind in messages. */

import type { JsonObject } from '../../base/json.ts';
import { stringAt } from '../../base/json-fields.ts';

/** `default/a; apps/v1, Kind=Deployment`. */
export function objectName(object: JsonObject): string {
  const kind = kindName(stringAt(object, 'apiVersion'), stringAt(object, 'kind'));
  return `${stringAt(object, 'metadata', 'namespace')}/${stringAt(object, 'metadata', 'name')}; ${kind}`;
}

/** `apps/v1, Kind=Deployment`; of the core group `/v1, Kind=Pod`. */
export function kindName(apiVersion: string, kind: string): string {
  const parts = apiVersion.split('/');
  // More than one slash is no version, and then the server forgets the kind, too.
  if (parts.length > 2) return '/, Kind=';
  const version = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  return `${version}, Kind=${kind}`;
}
