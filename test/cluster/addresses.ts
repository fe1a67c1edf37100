/** Addresses of the cluster. They are in namespaces of its own, so that two clusters do not meet. */

/** Of the control plane, on the bridge to which all machines are connected. */
export const API_ADDRESS = '10.200.0.1';
export const API_PORT = 6443;
/** Of the Service `kubernetes`: the first of `--service-cluster-ip-range`. */
export const SERVICE_ADDRESS = '10.96.0.1';
/** Registries by name; machines know them from `/etc/hosts`. The first is the one that Millwright's images come from. */
export const REGISTRIES = {
  'registry.millwright.dev': '10.200.0.2',
  'mirror.cluster.test': '10.200.0.3',
} as const;
export type RegistryName = keyof typeof REGISTRIES;

export type NodeAddress = {
  readonly name: string;
  readonly address: string;
  /** Of its pods. */
  readonly podSubnet: string;
};

export function nodeAddress(name: string, index: number): NodeAddress {
  return { name, address: `10.200.0.${10 + index}`, podSubnet: `10.244.${index}.0/24` };
}
