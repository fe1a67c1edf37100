/**
 * What may name a repository, a tag and a host, as the distribution specification has it. Names end up in paths of files
 * and URLs: nothing that passes here can mean anything else there.
 */

/** Of a repository, its host included where there is one. */
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

/** Whether a host is this very machine, and what is said to it stays there. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/:[0-9]+$/, '');
  return name === 'localhost' || name === '[::1]' || /^127(?:\.[0-9]{1,3}){3}$/.test(name);
}
