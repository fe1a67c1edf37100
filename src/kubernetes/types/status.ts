/**
 * Status: the response to a request that failed or that returns no object. And the metadata of lists.
 */
import { typeFields } from '../meta/index.ts';
import { type Infer, int32, int64, named, pointer, string, struct } from '../schema/index.ts';

import { filled, items } from './fields.ts';

export const listMeta = struct('meta.ListMeta', 'Metadata of a list.', {
  selfLink: string('No longer set.'),
  resourceVersion: string('The version from which a watch continues.'),
  continue: string('The token that requests the next page; absent on the last page.'),
  remainingItemCount: pointer(int64('The number of items after this page.')),
});
export type ListMeta = Infer<typeof listMeta>;

const statusCause = struct('meta.StatusCause', 'One error in the request.', {
  reason: named('meta.CauseType', string('FieldValueInvalid and the like; DisruptionBudget for evictions.')),
  message: string('The error, for people.'),
  field: string('The field with the error, such as spec.containers[0].name.'),
});
export type StatusCause = Infer<typeof statusCause>;

const statusDetails = struct('meta.StatusDetails', 'The object of the failed request, and the errors.', {
  name: string('The name of the object.'),
  group: string('The group of the resource.'),
  kind: string('The resource in the plural; validation errors have the kind instead.'),
  uid: named('types.UID', string('The UID of the object.')),
  causes: items('The errors.', statusCause),
  retryAfterSeconds: int32('How long to wait before trying again.'),
});
export type StatusDetails = Infer<typeof statusDetails>;

export const status = struct(
  'meta.Status',
  'The response to a request that failed or that returns no object.',
  {
    ...typeFields,
    metadata: filled(listMeta),
    status: string('Success or Failure.'),
    message: string('What happened, for people.'),
    reason: named('meta.StatusReason', string('Why the request failed, in one CamelCase word.')),
    details: statusDetails,
    code: int32('The HTTP status code.'),
  },
);
export type Status = Infer<typeof status> & {
  readonly apiVersion: 'v1';
  readonly kind: 'Status';
  readonly metadata: ListMeta;
  readonly status?: 'Success' | 'Failure';
  readonly reason?: StatusReason;
};

/** Why a request failed, in the one word that clients compare. */
export type StatusReason =
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Expired'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'Invalid'
  | 'TooManyRequests'
  | 'InternalError'
  | 'ServiceUnavailable'
  | 'ServerTimeout'
  | 'Timeout'
  | 'StoreReadError';
