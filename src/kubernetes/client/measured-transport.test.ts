import { describe, expect, it } from 'vitest';
import { systemClock } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import { formatMetrics, Metrics } from '../metrics/index.ts';
import { CONNECTION_METRICS } from './client-metrics.ts';
import { describeRequest, measuredTransport } from './measured-transport.ts';

describe('describeRequest', () => {
  it.each([
    ['GET', '/api/v1/nodes', '', 'list', 'nodes'],
    ['GET', '/api/v1/nodes', 'limit=500&watch=1', 'watch', 'nodes'],
    ['GET', '/api/v1/nodes', 'labelSelector=watch%3D1', 'list', 'nodes'],
    ['GET', '/api/v1/nodes/worker-0', '', 'get', 'nodes'],
    ['GET', '/api/v1/namespaces/default', '', 'get', 'namespaces'],
    ['POST', '/api/v1/namespaces/a/pods/b/eviction', '', 'create', 'pods/eviction'],
    ['POST', '/api/v1/namespaces/a/events', '', 'create', 'events'],
    ['PATCH', '/apis/x.io/v1/machineconfignodes/a/status', '', 'patch', 'machineconfignodes/status'],
    ['PUT', '/apis/coordination.k8s.io/v1/namespaces/a/leases/b', '', 'update', 'leases'],
    ['DELETE', '/apis/x.io/v1/things', '', 'deletecollection', 'things'],
    ['DELETE', '/apis/x.io/v1/things/a', '', 'delete', 'things'],
    ['GET', '/version', '', 'get', ''],
  ] as const)('%s %s?%s is %s of "%s"', (method, path, query, verb, resource) => {
    expect(describeRequest({ method, path, query })).toEqual({ verb, resource });
  });
});

describe('measuredTransport', () => {
  const request = { method: 'GET', path: '/api/v1/nodes/a', query: '', headers: {} } as const;
  const body = (async function* () {})();

  it('counts requests by verb, resource and code, also those without an answer', async () => {
    const metrics = new Metrics(CONNECTION_METRICS);
    const answers = [200, 404, undefined];
    let nowMs = 0;
    const clock = { ...systemClock, monotonic: () => nowMs };
    const transport = measuredTransport(
      {
        send: async () => {
          nowMs += 2_000;
          const status = answers.shift();
          if (status === undefined) throw new Failure('transient', 'Unreachable', 'gone');
          return { status, headers: {}, body };
        },
      },
      { metrics, clock },
    );
    await transport.send(request);
    await transport.send(request);
    await expect(transport.send(request)).rejects.toThrow('gone');
    await expect(transport.send({ ...request, path: '/api/v1/nodes', query: 'watch=1' })).rejects.toThrow();
    const text = formatMetrics([metrics]);
    for (const line of [
      'millwright_api_requests_total{verb="get",resource="nodes",code="200"} 1',
      'millwright_api_requests_total{verb="get",resource="nodes",code="404"} 1',
      'millwright_api_requests_total{verb="get",resource="nodes",code="<error>"} 1',
      'millwright_api_requests_total{verb="watch",resource="nodes",code="<error>"} 1',
      'millwright_api_request_duration_seconds_sum{verb="get"} 6',
      'millwright_api_request_duration_seconds_bucket{verb="get",le="1"} 0',
      'millwright_api_request_duration_seconds_bucket{verb="get",le="5"} 3',
    ]) {
      expect(text).toContain(`${line}\n`);
    }
    expect(text).not.toContain('duration_seconds_sum{verb="watch"}');
  });
});
