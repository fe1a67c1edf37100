/** What discovery has to know of a resource: all but the rules for its objects. */
import type { Resource } from '../resources/index.ts';

export type ServedResource = Omit<Resource, 'strategy' | 'columns'>;
