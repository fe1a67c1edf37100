/**
 * How what there is of something is shared out: nobody may take so much that less is left free than they hold. One alone
 * gets half of it, two get a third each, and whoever comes next finds something.
 */
type Share = {
  /** How much there is. */
  readonly limit: number;
  /** How much of it all hold together. */
  readonly taken: number;
  /** How much of that is held by the one who asks. */
  readonly own: number;
};

/** How much more one may take. Who has nothing may take whatever is left. */
export function freeShare({ limit, taken, own }: Share): number {
  const free = Math.max(0, limit - taken);
  return own === 0 ? free : Math.max(0, Math.floor((free - own) / 2));
}

/** Someone who has requests waiting. */
type Waiter = {
  /** Seats held. */
  readonly own: number;
  /** Seats that the first of the waiting requests needs. */
  readonly width: number;
  /** Grows with every seat that is given, to whomever: when this one was last served. */
  readonly servedAt: number;
};

/** Whose turn it is: who holds least, and of those who was served longest ago. Undefined where nobody can go on. */
export function nextInLine<T extends Waiter>(
  waiters: Iterable<T>,
  { limit, taken }: Omit<Share, 'own'>,
): T | undefined {
  let next: T | undefined;
  for (const waiter of waiters) {
    if (waiter.width > freeShare({ limit, taken, own: waiter.own })) continue;
    if (next === undefined || isBefore(waiter, next)) next = waiter;
  }
  return next;
}

function isBefore(a: Waiter, b: Waiter): boolean {
  return a.own === b.own ? a.servedAt < b.servedAt : a.own < b.own;
}

/** Seats that so many bytes need: at least one, and never more than a user alone can get. */
export function seatsFor(
  bytes: number,
  { bytesPerSeat, limit }: { readonly bytesPerSeat: number; readonly limit: number },
): number {
  const most = Math.max(1, Math.floor(limit / 2));
  return Math.min(most, Math.max(1, Math.ceil(bytes / bytesPerSeat)));
}
