import { expect, it } from 'vitest';
import { Metrics } from './metrics.ts';

it('Metrics counts requests by verb, resource and code', () => {
  const metrics = new Metrics();
  metrics.count({ verb: 'list', resource: 'pods', code: 200 });
  metrics.count({ verb: 'get', resource: 'a"b', code: 404 });
  metrics.count({ verb: 'list', resource: 'pods', code: 200 });
  expect(metrics.text({ store_revision: { help: 'The newest.', value: 7 } })).toBe(
    `# HELP apiserver_request_total Requests by verb, resource and the code of their answer.
# TYPE apiserver_request_total counter
apiserver_request_total{verb="get",resource="a\\"b",code="404"} 1
apiserver_request_total{verb="list",resource="pods",code="200"} 2
# HELP store_revision The newest.
# TYPE store_revision gauge
store_revision 7
`,
  );
});

it('Metrics limits the number of series', () => {
  const metrics = new Metrics();
  for (let count = 0; count < 20_000; count++) {
    metrics.count({ verb: 'get', resource: `made-up-${count}`, code: 404 });
  }
  expect(metrics.text({}).split('\n').length).toBeLessThan(10_010);
});
