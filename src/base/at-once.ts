/**
 * Several asynchronous calls at once.
 */

/**
 * Calls `act` for each item in order, at most `limit` at a time. After a failure no further call is started. Settles only
 * when all started calls have, so that nothing is under way afterwards; rejects with the first failure.
 */
export async function forEachAtOnce<T>(
  items: Iterable<T>,
  limit: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const left = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true && failures.length === 0; next = left.next()) {
      try {
        await act(next.value);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  if (failures.length > 0) throw failures[0];
}
