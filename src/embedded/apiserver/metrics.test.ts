import { expect, it } from 'vitest';
import { ServerMetrics } from './metrics.ts';

const sizes = { revision: 7, resources: 1, seated: 2, waiting: 3, streams: 4, refused: 5 };

it('ServerMetrics counts requests by verb, resource and code', () => {
  const metrics = new ServerMetrics(() => sizes);
  metrics.count({ verb: 'list', resource: 'pods', code: 200 });
  metrics.count({ verb: 'get', resource: 'a"b', code: 404 });
  metrics.count({ verb: 'list', resource: 'pods', code: 200 });
  expect(metrics.text().split('\n')).toEqual(
    expect.arrayContaining([
      '# HELP apiserver_request_total Requests by verb, resource and the code of their answer.',
      '# TYPE apiserver_request_total counter',
      'apiserver_request_total{verb="list",resource="pods",code="200"} 2',
      'apiserver_request_total{verb="get",resource="a\\"b",code="404"} 1',
      '# TYPE millwright_store_revision gauge',
      'millwright_store_revision 7',
      'millwright_refused_requests 5',
    ]),
  );
});

it('ServerMetrics limits the number of series', () => {
  const metrics = new ServerMetrics(() => sizes);
  for (let count = 0; count < 20_000; count++) {
    metrics.count({ verb: 'get', resource: `made-up-${count}`, code: 404 });
  }
  expect(metrics.text().split('\n').length).toBeLessThan(10_030);
});

it('ServerMetrics has what others publish until they take it back', () => {
  const metrics = new ServerMetrics(() => sizes);
  const family = {
    name: 'x',
    type: 'gauge',
    help: 'X.',
    samples: [{ suffix: '', labels: [], value: 1 }],
  } as const;
  const remove = metrics.publish({ families: () => [family], labels: { pod: 'p' } });
  expect(metrics.text()).toContain('x{pod="p"} 1\n');
  remove();
  expect(metrics.text()).not.toContain('x{pod');
});
