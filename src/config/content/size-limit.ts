/** Larger objects do not fit into etcd, whose limit for a request is 1.5 MiB. */
export const MAX_RENDERED_BYTES = 1_572_864;
