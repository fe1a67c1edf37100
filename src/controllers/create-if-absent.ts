/** Creates an object that another process may create at the same time. */
import { isAlreadyExists } from '../kubernetes/client/index.ts';

export async function createIfAbsent(create: () => Promise<unknown>): Promise<void> {
  try {
    await create();
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
