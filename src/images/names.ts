/**
 * The names of repositories, tags and hosts, as in the distribution specification. Names become part of file paths
 * and URLs, where a valid name has no special meaning.
 */

/** Of a repository, with its host. */
export const MAX_NAME_LENGTH = 255;

const COMPONENT = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const REPOSITORY = new RegExp(`^${COMPONENT}(?:/${COMPONENT})*$`);
const TAG = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
const DOMAIN_LABEL = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const HOST = new RegExp(`^(?:${DOMAIN_LABEL}(?:\\.${DOMAIN_LABEL})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]{1,5})?$`);

export function isRepositoryName(text: string): boolean {
  return text.length <= MAX_NAME_LENGTH && REPOSITORY.test(text);
}

export function isTag(text: string): boolean {
  return TAG.test(text);
}

/** With or without a port. */
export function isHost(text: string): boolean {
  return HOST.test(text);
}

/** Whether a host is this machine, so that plain HTTP is safe. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/:[0-9]+$/, '');
  return name === 'localhost' || name === '[::1]' || /^127(?:\.[0-9]{1,3}){3}$/.test(name);
}
