/** Making what somebody else may have made meanwhile: then it is there, which is all that was wanted. */
import { isAlreadyExists } from '../kubernetes/client/index.ts';

export async function createUnlessThere(create: () => Promise<unknown>): Promise<void> {
  try {
    await create();
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
