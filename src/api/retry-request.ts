/**
 * A request of an administrator to the daemon of a node, the value of the annotation `millwright.dev/retry`: try what fails at
 * once and from the beginning; with `force-` before it, apply the whole config again and reboot, as a force file asks for.
 *
 *     2026-01-31T12:00:00.000Z
 *     force-2026-01-31T12:00:00.000Z
 *
 * What follows only has to differ from the last request. The daemon answers with the same text in `millwright.dev/retried`; an
 * answered request is never followed again.
 */

type RetryRequest = { readonly isForced: boolean };

const FORCED = 'force-';
/** The daemon writes it back: it must fit into the annotations of the Node, whatever else is there. */
const MAX_CHARS = 128;
const ALLOWED = /^[\w.:+-]+$/;

export function formatRetryRequest({ isForced }: RetryRequest, id: string): string {
  return `${isForced ? FORCED : ''}${id}`;
}

/** `undefined` for a text that is none, and stays without an answer. */
export function parseRetryRequest(text: string): RetryRequest | undefined {
  if (text.length > MAX_CHARS || !ALLOWED.test(text)) return undefined;
  return { isForced: text.startsWith(FORCED) };
}
