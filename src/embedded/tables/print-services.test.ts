import { describe, expect, it } from 'vitest';
import type { Json } from '../../base/json.ts';
import { endpointsPrinter, servicePrinter } from './print-services.ts';

type Fields = { readonly [name: string]: Json };

// Recorded from kube-apiserver 1.33.
describe('the row of a service', () => {
  it.each<[string, Fields, Fields, readonly Json[]]>([
    [
      'with one port',
      { type: 'ClusterIP', clusterIPs: ['10.0.0.1', 'fd00::1'], ports: [{ port: 80, protocol: 'TCP' }] },
      {},
      ['ClusterIP', '10.0.0.1', '<none>', '80/TCP'],
    ],
    [
      'that is headless',
      { type: 'ClusterIP', clusterIPs: ['None'] },
      {},
      ['ClusterIP', 'None', '<none>', '<none>'],
    ],
    [
      'with node ports',
      {
        type: 'NodePort',
        externalIPs: ['1.1.1.1', '2.2.2.2'],
        ports: [
          { port: 80, nodePort: 31241, protocol: 'TCP' },
          { port: 53, nodePort: 0, protocol: 'UDP' },
        ],
      },
      {},
      ['NodePort', '<none>', '1.1.1.1,2.2.2.2', '80:31241/TCP,53/UDP'],
    ],
    [
      'of type ExternalName',
      { type: 'ExternalName', externalName: 'example.com' },
      {},
      ['ExternalName', '<none>', 'example.com', '<none>'],
    ],
    [
      'with a pending load balancer',
      { type: 'LoadBalancer' },
      {},
      ['LoadBalancer', '<none>', '<pending>', '<none>'],
    ],
    [
      'with external IPs and load balancer ingress',
      { type: 'LoadBalancer', externalIPs: ['1.1.1.1'] },
      {
        loadBalancer: { ingress: [{ ip: '9.9.9.9' }, { hostname: 'a.example.com' }, { ip: '9.9.9.9' }, {}] },
      },
      ['LoadBalancer', '<none>', '9.9.9.9,a.example.com,1.1.1.1', '<none>'],
    ],
    ['of an unknown type', { type: 'Other' }, {}, ['Other', '<none>', '<unknown>', '<none>']],
  ])('%s', (_, spec, status, cells) => {
    expect(servicePrinter.row({ metadata: { name: 'a' }, spec, status }, 0).cells.slice(1, 5)).toEqual(cells);
  });

  it('has its selector', () => {
    const selected = (selector: Fields) => servicePrinter.row({ spec: { selector } }, 0).cells.at(-1);
    expect(selected({ b: 'x', a: 'y' })).toBe('a=y,b=x');
    expect(selected({})).toBe('<none>');
  });
});

describe('the row of Endpoints', () => {
  const [one, two, three] = ['10.0.0.1', 'fd00::1', '10.0.0.3'].map((ip) => ({ ip }));

  it.each<[string, readonly unknown[]]>([
    ['<none>', []],
    ['', [{ notReadyAddresses: [one], ports: [{ port: 80 }] }]],
    ['10.0.0.1,fd00::1,10.0.0.3', [{ addresses: [one, two, three] }]],
    ['10.0.0.1:80,[fd00::1]:80', [{ addresses: [one, two], ports: [{ port: 80 }] }]],
    [
      '10.0.0.1:80,[fd00::1]:80,10.0.0.1:90 + 2 more...',
      [{ addresses: [one, two], ports: [{ port: 80 }, { port: 90 }] }, { addresses: [three] }],
    ],
  ])('has the addresses %j', (text, subsets) => {
    const object = JSON.parse(JSON.stringify({ metadata: { name: 'a' }, subsets }));
    expect(endpointsPrinter.row(object, 0).cells).toEqual(['a', text, '<unknown>']);
  });
});
