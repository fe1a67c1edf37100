import { describe, expect, it } from 'vitest';
import { created } from '../../../test/support/resource-writes.ts';
import { serviceAccountStrategy as strategy } from './service-account.ts';

describe('the strategy of ServiceAccounts', () => {
  it('keeps only the names of secrets', () => {
    const secrets = [{ name: 'a', kind: 'Secret', uid: 'u' }, {}];
    const { object, causes } = created(strategy, { metadata: { name: 'x' }, secrets });
    expect(causes).toEqual([]);
    expect(object.secrets).toEqual([{ name: 'a' }, {}]);
  });

  it('warns of the deprecated annotation once', () => {
    const annotations = { 'kubernetes.io/enforce-mountable-secrets': 'true' };
    const sent = { metadata: { name: 'x', annotations } };
    const { object, warnings } = created(strategy, sent);
    expect(warnings).toEqual([
      'metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets',
    ]);
    expect(strategy.warnings(object, object)).toEqual([]);
  });
});
