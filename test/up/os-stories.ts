/** Stories that change nodes or their OS: on a cluster of their own, beside the others. */
export const OS_STORIES: readonly string[] = ['degraded-node', 'layering', 'os-update', 'pivot'];
