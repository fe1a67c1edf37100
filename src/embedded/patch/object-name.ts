/** Names of objects and kinds in messages of kube-apiserver. */

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
  // An apiVersion with more than one slash is invalid, and kube-apiserver drops the kind, too.
  if (parts.length > 2) return '/, Kind=';
  const version = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  return `${version}, Kind=${kind}`;
}
