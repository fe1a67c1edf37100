import { describe, expect, it } from 'vitest';
import { parseTokenAuthFile } from './token-auth-file.ts';

describe('parseTokenAuthFile', () => {
  it.each([
    ['a,alice', 'line 1', 'must have at least 3 columns (token, user name, user uid), found 2'],
    ['t,alice,u\n\nx', 'line 3', 'must have at least 3 columns (token, user name, user uid), found 1'],
    ['t,alice,u,"a', 'line 1', 'misplaced or unterminated quote'],
    ['t,al"ice,u', 'line 1', 'misplaced or unterminated quote'],
    ['t,"alice"x,u', 'line 1', 'misplaced or unterminated quote'],
  ])('rejects %j', (text, path, message) => {
    expect(parseTokenAuthFile(text)).toEqual({ kind: 'invalid', problems: [{ path, message }] });
  });

  it('parses users like kube-apiserver', () => {
    const text = 't1,alice,1\r\nt2,bob,2,builders\nt3,"car,ol",3,"builders,auditors"\nt4,"d""ave",4,""\n';
    expect(parseTokenAuthFile(text)).toEqual({
      kind: 'ok',
      value: [
        { token: 't1', user: { name: 'alice', uid: '1', groups: [] } },
        { token: 't2', user: { name: 'bob', uid: '2', groups: ['builders'] } },
        { token: 't3', user: { name: 'car,ol', uid: '3', groups: ['builders', 'auditors'] } },
        // An empty column is one empty group.
        { token: 't4', user: { name: 'd"ave', uid: '4', groups: [''] } },
      ],
      warnings: [],
    });
  });

  it('warns about empty and duplicate tokens', () => {
    expect(parseTokenAuthFile(',alice,1\nt,bob,2\nt,carol,3')).toEqual({
      kind: 'ok',
      value: [{ token: 't', user: { name: 'carol', uid: '3', groups: [] } }],
      warnings: [
        { path: 'line 1', message: 'empty token: the user is ignored' },
        { path: 'line 3', message: 'duplicate token: the last one wins' },
      ],
    });
  });
});
