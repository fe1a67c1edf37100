/** The name under which `ostree` keeps the OS of a machine, and the ID in its os-release. */
export const OS_NAME = 'lab';
