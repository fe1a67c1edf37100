/** Unexpected errors: logged in full, and answered without their details, which may be confidential. */

import type { Log } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import { statusError } from '../status/index.ts';
import type { Request, Response } from './http/http.ts';
import { statusResponse } from './response.ts';

export function internalErrorResponse(log: Log, request: Request, error: unknown): Response {
  const isBusy = error instanceof Failure && error.kind === 'transient';
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log.error('request failed', { method: request.method, path: request.path, error: trace });
  const { status } = isBusy
    ? statusError({
        code: 503,
        reason: 'ServiceUnavailable',
        message: 'the server is currently unable to handle the request',
        details: { retryAfterSeconds: 1 },
      })
    : statusError({
        code: 500,
        reason: 'InternalError',
        message: 'Internal error occurred: see the log of the server',
        details: { causes: [{ message: 'see the log of the server' }] },
      });
  return statusResponse(status, { request });
}
