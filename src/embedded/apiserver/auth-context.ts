/** What few answers need beside the world: who is who, and who may what. */
import type { RuleSource } from '../rbac/index.ts';
import type { Authenticator } from './authenticate.ts';

export type Insight = {
  readonly authenticator: Authenticator;
  readonly rules: RuleSource;
  readonly tokenKey: Uint8Array;
};
