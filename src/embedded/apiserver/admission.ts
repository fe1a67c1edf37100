/** Admission: what is checked and changed between authorization and the write. */

import type { JsonObject } from '../../base/json.ts';
import type { User } from '../rbac/index.ts';
import type { Resource } from '../resources/index.ts';

export type AdmissionAttributes = {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly user: User;
  readonly resource: Resource;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Absent in deletions. */
  readonly object?: JsonObject;
  /** Absent in creations. */
  readonly oldObject?: JsonObject;
  readonly isDryRun: boolean;
  /** For the client; admission appends to it. */
  readonly warnings: string[];
};

export type WriteAttributes = AdmissionAttributes & { readonly object: JsonObject };

/** All methods throw a `StatusError` if the request is denied. */
export interface AdmissionChain {
  /** Before the object is prepared and validated. Returns the object with the changes of the built-in plug-ins. */
  admitMutating(attributes: WriteAttributes): JsonObject;
  admitDeletion(attributes: AdmissionAttributes): void;
  /** After validation, just before the write. */
  admitValidating(attributes: AdmissionAttributes): void;
}
