/** The address of the kubelet of a node. */
import { isObject, own } from '../../../base/json.ts';
import { notFound, unknownError } from '../../status/index.ts';
import type { ServerContext } from '../server-context.ts';
import { readObject } from '../store/records.ts';

export type NodeAddress = { readonly name: string; readonly host: string; readonly port: number };

/** The default of `--kubelet-preferred-address-types`. */
const PREFERRED = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];
const KUBELET_PORT = 10250;

/** Throws a `StatusError` if the node does not exist or has no address. */
export function addressOfNode(
  { store, catalog }: Pick<ServerContext, 'store' | 'catalog'>,
  name: string,
): NodeAddress {
  const nodes = catalog.find('', 'v1', 'nodes');
  const node = nodes === undefined ? undefined : readObject(store, nodes, '', name)?.object;
  if (node === undefined) throw notFound({ group: '', plural: 'nodes' }, name);
  const status = isObject(node.status) ? node.status : {};
  const listed = own(status, 'addresses');
  const addresses = (Array.isArray(listed) ? listed : []).filter(isObject);
  const found = PREFERRED.map((type) => addresses.find((one) => one.type === type)).find((one) => one);
  if (found === undefined) {
    const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(' ');
    throw unknownError(`no preferred addresses found; known addresses: [${known}]`);
  }
  return { name, host: String(found.address), port: portOf(status) };
}

function portOf(status: { readonly [name: string]: unknown }): number {
  const endpoints = own(status, 'daemonEndpoints');
  const endpoint = isObject(endpoints) ? own(endpoints, 'kubeletEndpoint') : undefined;
  const port = isObject(endpoint) ? own(endpoint, 'Port') : undefined;
  return typeof port === 'number' && port > 0 ? port : KUBELET_PORT;
}
