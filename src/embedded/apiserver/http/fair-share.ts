/**
 * Fair sharing: no user may hold more than remains free. A single user gets half, two get a third each, so that there is
 * always something left for the next.
 */
type Share = {
  readonly limit: number;
  /** In use by all users. */
  readonly taken: number;
  /** In use by the requesting user. */
  readonly own: number;
};

/** How much more a user may take. Without any, they may take all that is left. */
export function freeShare({ limit, taken, own }: Share): number {
  const free = Math.max(0, limit - taken);
  return own === 0 ? free : Math.max(0, Math.floor((free - own) / 2));
}

/** A user with queued requests. */
type Waiter = {
  /** Seats held. */
  readonly own: number;
  /** Seats that the first queued request needs. */
  readonly width: number;
  /** A counter of all assigned seats, at the time when this user was last served. */
  readonly servedAt: number;
};

/** The user who holds least, and among equals was served longest ago. Undefined if no request fits. */
export function nextWaiter<T extends Waiter>(
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

/** The seats for so many bytes: at least one, at most what one user can get. */
export function seatsFor(
  bytes: number,
  { bytesPerSeat, limit }: { readonly bytesPerSeat: number; readonly limit: number },
): number {
  const most = Math.max(1, Math.floor(limit / 2));
  return Math.min(most, Math.max(1, Math.ceil(bytes / bytesPerSeat)));
}
