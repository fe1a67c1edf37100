/** One request for a resource on its path through the server. */

import type { User } from '../rbac/index.ts';
import type { Resource } from '../resources/index.ts';
import type { Request } from './http/http.ts';
import type { ResponseFormat } from './negotiation.ts';
import type { ResourceInfo } from './request-info.ts';
import type { Query } from './verbs/query-options.ts';

export type Call = {
  readonly request: Request;
  readonly info: ResourceInfo;
  readonly query: Query;
  readonly user: User;
  readonly resource: Resource;
  readonly format: ResponseFormat;
  /** For the `Warning` headers of the response; handlers append to it. */
  readonly warnings: string[];
};
