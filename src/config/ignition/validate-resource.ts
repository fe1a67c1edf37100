/**
 * Validation of resources: source, compression and verification hash.
 */
import { schemeOf } from '../../base/text/index.ts';
import type { Resource } from './config.ts';
import { decodeDataUrl } from './data-url.ts';
import { fail, type Report } from './report.ts';

export function resourceProblems(resource: Resource, path: string, report: Report): void {
  const { source, compression, verification, httpHeaders } = resource;
  if (compression !== undefined && compression !== '' && compression !== 'gzip') {
    fail(report, `${path}.compression`, 'invalid compression method');
  }
  if (verification?.hash !== undefined) {
    if (source === undefined) {
      fail(report, `${path}.verification.hash`, 'source must be specified if verification is specified');
    }
    fail(report, `${path}.verification.hash`, hashProblem(verification.hash));
  }
  if (source !== undefined && source !== '') fail(report, `${path}.source`, urlProblem(source));
  httpHeaders?.forEach((header, index) => {
    if (header.value === '')
      fail(report, `${path}.httpHeaders[${index}].value`, 'unable to parse HTTP header');
    if (header.name === '')
      fail(report, `${path}.httpHeaders[${index}].name`, "HTTP header name can't be empty");
  });
  if (httpHeaders !== undefined) fail(report, `${path}.httpHeaders`, headerSchemeProblem(source));
}

/** The problem with the source of a resource, if any. */
function urlProblem(url: string): string | undefined {
  switch (schemeOf(url)) {
    case undefined:
      return 'unable to parse url';
    case 'http':
    case 'https':
    case 'tftp':
    case 'gs':
      return undefined;
    case 's3':
      return versionProblem(url);
    case 'arn':
      return arnProblem(url) ?? versionProblem(url);
    case 'data': {
      const data = decodeDataUrl(url);
      return typeof data === 'string' ? data : undefined;
    }
    default:
      return 'invalid url scheme';
  }
}

function versionProblem(url: string): string | undefined {
  const query = /\?([^#]*)/.exec(url)?.[1] ?? '';
  const isEmpty = query.split('&').some((part) => part === 'versionId' || part === 'versionId=');
  return isEmpty ? 'invalid S3 object VersionId' : undefined;
}

/** `arn:partition:s3:region:account:bucket/key`. */
function arnProblem(url: string): string | undefined {
  const name = url.replace(/[?#].*$/s, '');
  const [, , service, , , ...rest] = name.split(':');
  const resource = rest.join(':');
  const parts = name.split('/').length;
  const isComplete = parts >= (resource.startsWith('accesspoint/') ? 3 : 2);
  return service === 's3' && rest.length > 0 && isComplete ? undefined : 'invalid S3 ARN format';
}

function headerSchemeProblem(source: string | undefined): string | undefined {
  const scheme = source ? schemeOf(source) : undefined;
  if (scheme === undefined) return 'unable to parse url';
  return scheme === 'http' || scheme === 'https'
    ? undefined
    : 'cannot use HTTP headers with this source scheme';
}

const HASH_DIGITS: { readonly [name: string]: number } = { sha512: 128, sha256: 64 };

function hashProblem(hash: string): string | undefined {
  const dash = hash.indexOf('-');
  if (dash < 0) return 'malformed hash specifier';
  const digits = Object.hasOwn(HASH_DIGITS, hash.slice(0, dash))
    ? HASH_DIGITS[hash.slice(0, dash)]
    : undefined;
  if (digits === undefined) return 'unrecognized hash function';
  return hash.length - dash - 1 === digits ? undefined : 'incorrect size for hash sum';
}
