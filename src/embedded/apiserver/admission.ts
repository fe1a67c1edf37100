/**
 * What stands between a right to write and the write itself: the lifecycle of namespaces, the rule that nobody
 * hands out rights that they lack, and the policies of the administrators.
 */

import type { JsonObject } from '../../base/json.ts';
import type { User } from '../rbac/index.ts';
import type { Resource } from '../resources/index.ts';

export type Attempt = {
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
  /** Grows by what the client is to be warned of. */
  readonly warnings: string[];
};

export type WriteAttempt = Attempt & { readonly object: JsonObject };

/** All throw a `StatusError` where the attempt must not go on. */
export interface Gate {
  /** Before the object is completed and checked. Gives the object with what the server adds to it. */
  enterWrite(attempt: WriteAttempt): JsonObject;
  enterDeletion(attempt: Attempt): void;
  /** Once it is known to be right, just before it is written. */
  leave(attempt: Attempt): void;
}
