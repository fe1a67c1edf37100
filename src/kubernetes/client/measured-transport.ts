/** A transport that counts and times its requests. */
import type { Clock } from '../../base/env.ts';
import type { Metrics } from '../metrics/index.ts';
import { API_REQUESTS, API_SECONDS } from './client-metrics.ts';
import type { Transport, TransportRequest } from './transport.ts';

/** As client-go calls it. */
const NO_ANSWER = '<error>';

export function measuredTransport(
  transport: Transport,
  { metrics, clock }: { readonly metrics: Metrics; readonly clock: Clock },
): Transport {
  const requests = metrics.counter(API_REQUESTS);
  const seconds = metrics.histogram(API_SECONDS);
  return {
    async send(request) {
      const { verb, resource } = describeRequest(request);
      const beganMs = clock.monotonic();
      let code = NO_ANSWER;
      try {
        const response = await transport.send(request);
        code = String(response.status);
        return response;
      } finally {
        requests.add({ verb, resource, code });
        // A watch is answered when its first event comes.
        if (verb !== 'watch') seconds.observe({ verb }, (clock.monotonic() - beganMs) / 1_000);
      }
    },
  };
}

type Described = { readonly verb: string; readonly resource: string };

/** Verb and resource as RBAC names them: `patch`, `machineconfignodes/status`. The resource is empty for other paths. */
export function describeRequest({
  method,
  path,
  query,
}: Pick<TransportRequest, 'method' | 'path' | 'query'>): Described {
  const segments = path.split('/').slice(1);
  const isApi = segments[0] === 'api' || segments[0] === 'apis';
  const inGroup = isApi ? segments.slice(segments[0] === 'api' ? 2 : 3) : [];
  // A Namespace itself is `namespaces/NAME`.
  const inNamespace = inGroup[0] === 'namespaces' && inGroup.length > 2 ? inGroup.slice(2) : inGroup;
  const [resource = '', name = '', subresource = ''] = inNamespace;
  const isNamed = name !== '';
  return {
    verb: verbOf(method, isNamed || resource === '', query),
    resource: subresource === '' ? resource : `${resource}/${subresource}`,
  };
}

function verbOf(method: TransportRequest['method'], isNamed: boolean, query: string): string {
  switch (method) {
    case 'GET':
      if (/(^|&)watch=(1|true)(&|$)/.test(query)) return 'watch';
      return isNamed ? 'get' : 'list';
    case 'DELETE':
      return isNamed ? 'delete' : 'deletecollection';
    default:
      return { POST: 'create', PUT: 'update', PATCH: 'patch' }[method];
  }
}
