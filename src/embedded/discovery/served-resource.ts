/** What discovery needs of a resource: everything except the strategy for its objects. */
import type { Resource } from '../resources/index.ts';

export type ServedResource = Omit<Resource, 'strategy' | 'columns'>;
