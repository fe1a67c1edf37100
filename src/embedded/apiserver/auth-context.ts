/** What reviews and token requests need besides the ServerContext. */
import type { RuleSource } from '../rbac/index.ts';
import type { Authenticator } from './authenticate.ts';

export type AuthContext = {
  readonly authenticator: Authenticator;
  readonly rules: RuleSource;
  readonly tokenKey: Uint8Array;
};
