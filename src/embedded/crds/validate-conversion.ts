/**
 * Validation of `spec.conversion`. Paths use the internal field names (`webhookClientConfig`), not those of the API.
 */

import type { Problem } from '../../base/errors.ts';
import { parseUrl, quoted } from '../../base/text/index.ts';
import { checkDns1035Label, checkDnsSubdomain } from '../../kubernetes/meta/index.ts';
import { forbidden, goStrings, invalid, invalidText, required, unsupportedText } from '../resources/index.ts';
import type { CrdSpec } from './crd.ts';

type Conversion = NonNullable<CrdSpec['conversion']>;
type Webhook = NonNullable<Conversion['webhook']>;
type ClientConfig = NonNullable<Webhook['clientConfig']>;
type Service = NonNullable<ClientConfig['service']>;

const STRATEGIES = ['None', 'Webhook'];

export function conversionProblems(
  { conversion, preserveUnknownFields }: CrdSpec,
  path: string,
): readonly Problem[] {
  if (conversion === undefined) return [];
  const { strategy, webhook } = conversion;
  const problems: Problem[] = [];
  if (strategy !== 'None' && preserveUnknownFields) {
    const detail = 'must be None if spec.preserveUnknownFields is true';
    problems.push(invalidText(`${path}.strategy`, strategy, detail));
  }
  if (strategy === '') problems.push(required(`${path}.strategy`));
  else if (!STRATEGIES.includes(strategy)) {
    problems.push(unsupportedText(`${path}.strategy`, strategy, STRATEGIES));
  }
  if (strategy === 'Webhook') return [...problems, ...webhookProblems(webhook, path)];
  const unused = 'should not be set when strategy is not set to Webhook';
  if (webhook?.clientConfig !== undefined) problems.push(forbidden(`${path}.webhookClientConfig`, unused));
  if ((webhook?.conversionReviewVersions ?? []).length > 0) {
    problems.push(forbidden(`${path}.conversionReviewVersions`, unused));
  }
  return problems;
}

function webhookProblems(webhook: Webhook | undefined, path: string): readonly Problem[] {
  return [
    ...clientProblems(webhook?.clientConfig, `${path}.webhookClientConfig`),
    ...reviewVersionProblems(webhook?.conversionReviewVersions ?? [], `${path}.conversionReviewVersions`),
  ];
}

function clientProblems(client: ClientConfig | undefined, path: string): readonly Problem[] {
  if (client === undefined) return [required(path, 'required when strategy is set to Webhook')];
  const { url, service } = client;
  if ((url === undefined) === (service === undefined)) {
    return [required(path, 'exactly one of url or service is required')];
  }
  if (url !== undefined) return urlProblems(url, `${path}.url`);
  return service === undefined ? [] : serviceProblems(service, `${path}.service`);
}

const URL_FORM = '; desired format: https://host[/path]';

function urlProblems(text: string, path: string): readonly Problem[] {
  const outcome = parseUrl(text);
  if ('error' in outcome) {
    return [required(path, `url must be a valid URL: ${outcome.error}${URL_FORM}`)];
  }
  const { scheme, host, query } = outcome.url;
  const [beforeFragment = '', fragment = ''] = text.split('#', 2);
  const user = /^[^/?]*\/\/([^/?]*)@/.exec(beforeFragment)?.[1];
  const problems: Problem[] = [];
  if (scheme !== 'https') {
    problems.push(invalidText(path, scheme, `'https' is the only allowed URL scheme${URL_FORM}`));
  }
  if (host === '') problems.push(invalidText(path, host, `host must be specified${URL_FORM}`));
  if (user !== undefined) {
    problems.push(invalidText(path, user, 'user information is not permitted in the URL'));
  }
  if (fragment !== '') problems.push(invalidText(path, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') {
    problems.push(invalidText(path, query, 'query parameters are not permitted in the URL'));
  }
  return problems;
}

function serviceProblems(
  { name, namespace, path = '', port = 443 }: Service,
  at: string,
): readonly Problem[] {
  return [
    ...(name === '' ? [required(`${at}.name`, 'service name is required')] : []),
    ...(namespace === '' ? [required(`${at}.namespace`, 'service namespace is required')] : []),
    ...(port >= 1 && port <= 65_535
      ? []
      : [invalid(`${at}.port`, String(port), 'port is not valid: must be between 1 and 65535, inclusive')]),
    ...servicePathProblems(path, `${at}.path`),
  ];
}

function servicePathProblems(path: string, at: string): readonly Problem[] {
  if (path === '' || path === '/') return [];
  if (path === '//') return [invalidText(at, path, 'segment[0] may not be empty')];
  return [
    ...(path.startsWith('/') ? [] : [invalidText(at, path, "must start with a '/'")]),
    ...path
      .slice(1)
      .replace(/\/$/, '')
      .split('/')
      .flatMap((segment, index) => {
        if (segment === '') return [invalidText(at, path, `segment[${index}] may not be empty`)];
        return checkDnsSubdomain(segment).map((text) => invalidText(at, path, `segment[${index}]: ${text}`));
      }),
  ];
}

const REVIEW_VERSIONS = ['v1', 'v1beta1'];

function reviewVersionProblems(versions: readonly string[], path: string): readonly Problem[] {
  if (versions.length === 0) return [required(path)];
  const problems = versions.flatMap((version, index) => {
    if (versions.indexOf(version) < index) {
      return [invalid(`${path}[${index}]`, quoted(version), 'duplicate version')];
    }
    return checkDns1035Label(version).map((text) => invalidText(`${path}[${index}]`, version, text));
  });
  if (versions.some((version) => REVIEW_VERSIONS.includes(version))) return problems;
  const detail = `must include at least one of ${REVIEW_VERSIONS.join(', ')}`;
  return [...problems, invalid(path, goStrings(versions), detail)];
}
