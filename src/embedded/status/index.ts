/**
 * StatusError: why the API server does not fulfil a request, with one constructor for each kind of failure. See
 * `status-error.ts`. Not here: writing it to a response (`apiserver`).
 */
export {
  alreadyExists,
  applyConflict,
  badRequest,
  conflict,
  forbidden,
  invalid,
  methodNotAllowed,
  noSuchResource,
  notFound,
  plainTextError,
  requestEntityTooLarge,
  STALE,
  StatusError,
  statusError,
  unauthorized,
  unknownError,
  unprocessable,
} from './status-error.ts';
