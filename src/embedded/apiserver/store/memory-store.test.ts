import { describe } from 'vitest';
import { createMemoryStore } from './memory-store.ts';
import { storeContract } from './store-contract.ts';

describe('the store in memory', () => storeContract({ create: createMemoryStore }, 300));
