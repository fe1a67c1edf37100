/**
 * Printers of Services and Endpoints.
 */

import { compareBytes } from '../../base/json.ts';
import { listAt, numberAt, stringAt, stringsAt } from '../../base/json-fields.ts';
import { ENDPOINTS, SERVICE } from './descriptions-network.ts';
import { formatLabels } from './format-labels.ts';
import { age, name, printer, text, wide } from './printer.ts';

export const servicePrinter = printer(SERVICE, [
  name,
  text('Type', (service) => stringAt(service, 'spec', 'type')),
  text('Cluster-IP', (service) => stringsAt(service, 'spec', 'clusterIPs')[0] ?? '<none>'),
  text('External-IP', externalAddress),
  text('Port(s)', (service) => listAt(service, 'spec', 'ports').map(formatPort).join(',') || '<none>'),
  age,
  wide('Selector', (service) => formatLabels(service, 'spec', 'selector')),
]);

function externalAddress(service: unknown): string {
  const addresses = stringsAt(service, 'spec', 'externalIPs').join(',');
  switch (stringAt(service, 'spec', 'type')) {
    case 'ClusterIP':
    case 'NodePort':
      return addresses || '<none>';
    case 'LoadBalancer':
      return [balancerAddresses(service), addresses].filter((part) => part !== '').join(',') || '<pending>';
    case 'ExternalName':
      return stringAt(service, 'spec', 'externalName');
    default:
      return '<unknown>';
  }
}

function balancerAddresses(service: unknown): string {
  const addresses = listAt(service, 'status', 'loadBalancer', 'ingress').map(
    (one) => stringAt(one, 'ip') || stringAt(one, 'hostname'),
  );
  const distinct = new Set(addresses.filter((address) => address !== ''));
  return [...distinct].sort(compareBytes).join(',');
}

function formatPort(port: unknown): string {
  const nodePort = numberAt(port, 'nodePort');
  const outside = nodePort > 0 ? `:${nodePort}` : '';
  return `${numberAt(port, 'port')}${outside}/${stringAt(port, 'protocol')}`;
}

export const endpointsPrinter = printer(ENDPOINTS, [name, text('Endpoints', formatEndpoints), age]);

const MAX_SHOWN_ENDPOINTS = 3;

/** Addresses that are not ready are omitted. */
function formatEndpoints(endpoints: unknown): string {
  const subsets = listAt(endpoints, 'subsets');
  if (subsets.length === 0) return '<none>';
  const all = subsets.flatMap((subset) => {
    const addresses = listAt(subset, 'addresses').map((address) => stringAt(address, 'ip'));
    const ports = listAt(subset, 'ports');
    // A headless service may have no ports.
    if (ports.length === 0) return addresses;
    return ports.flatMap((port) => addresses.map((address) => hostPort(address, numberAt(port, 'port'))));
  });
  const formatted = all.slice(0, MAX_SHOWN_ENDPOINTS).join(',');
  const hidden = all.length - MAX_SHOWN_ENDPOINTS;
  return hidden > 0 ? `${formatted} + ${hidden} more...` : formatted;
}

function hostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
