/**
 * How often a process asks the server, as a whole and for the same thing.
 *
 * A loop without rest asks for one thing thousands of times. The sum of all requests says less: it grows with every kind
 * that a component watches, since watches end and are opened again.
 */

export type AskedRequest = {
  readonly atMs: number;
  /** What was asked for: equal for requests that differ only in where a watch goes on. */
  readonly line: string;
};

type Line = { readonly method: string; readonly path: string; readonly query: string };

export function askedRequest(atMs: number, { method, path, query }: Line): AskedRequest {
  const parameters = new URLSearchParams(query);
  for (const name of ['resourceVersion', 'timeoutSeconds', 'continue']) parameters.delete(name);
  return { atMs, line: `${method} ${path}?${parameters}` };
}

/** How many requests fall into the worst window of this length. */
export function mostWithin(windowMs: number, asked: readonly AskedRequest[]): number {
  let most = 0;
  let from = 0;
  for (const [index, { atMs }] of asked.entries()) {
    while (atMs - (asked[from]?.atMs ?? atMs) >= windowMs) from++;
    most = Math.max(most, index - from + 1);
  }
  return most;
}

/** The most requests for the same thing within a window of this length, and what for. */
export function mostAlikeWithin(windowMs: number, asked: readonly AskedRequest[]): [number, string] {
  const byLine = new Map<string, AskedRequest[]>();
  for (const one of asked) byLine.set(one.line, [...(byLine.get(one.line) ?? []), one]);
  const counts = [...byLine].map(([line, alike]): [number, string] => [mostWithin(windowMs, alike), line]);
  return counts.toSorted(([a], [b]) => b - a)[0] ?? [0, ''];
}
