/**
 * What nobody foresaw: told to the log in full, and to the client without what may be in it.
 */

import type { Log } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import { statusError } from '../status/index.ts';
import type { Request, Response } from './http/http.ts';
import { answerStatus } from './response.ts';

export function harmlessError(log: Log, request: Request, error: unknown): Response {
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
        message: 'Internal error occurred: the server did not foresee this; its log says more',
        details: { causes: [{ message: 'the server did not foresee this; its log says more' }] },
      });
  return answerStatus(status, { request });
}
