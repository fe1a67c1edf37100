import { describe, expect, it } from 'vitest';
import { parseTokenAuthFile } from './token-auth-file.ts';

describe('a token file', () => {
  it.each([
    ['a,alice', 'line 1', 'must have at least 3 columns (token, user name, user uid), found 2'],
    ['t,alice,u\n\nx', 'line 3', 'must have at least 3 columns (token, user name, user uid), found 1'],
    ['t,alice,u,"a', 'line 1', 'a quote is not closed, or stands in the middle'],
    ['t,al"ice,u', 'line 1', 'a quote is not closed, or stands in the middle'],
    ['t,"alice"x,u', 'line 1', 'a quote is not closed, or stands in the middle'],
  ])('of %j is refused', (text, path, message) => {
    expect(parseTokenAuthFile(text)).toEqual({ kind: 'invalid', problems: [{ path, message }] });
  });

  it('names the users, as kube-apiserver reads them', () => {
    const text = 't1,alice,1\r\nt2,bob,2,builders\nt3,"car,ol",3,"builders,auditors"\nt4,"d""ave",4,""\n';
    expect(parseTokenAuthFile(text)).toEqual({
      kind: 'ok',
      value: [
        { token: 't1', user: { name: 'alice', uid: '1', groups: [] } },
        { token: 't2', user: { name: 'bob', uid: '2', groups: ['builders'] } },
        { token: 't3', user: { name: 'car,ol', uid: '3', groups: ['builders', 'auditors'] } },
        // An empty column is one empty group there.
        { token: 't4', user: { name: 'd"ave', uid: '4', groups: [''] } },
      ],
      warnings: [],
    });
  });

  it('warns of tokens that are empty or there twice', () => {
    expect(parseTokenAuthFile(',alice,1\nt,bob,2\nt,carol,3')).toEqual({
      kind: 'ok',
      value: [{ token: 't', user: { name: 'carol', uid: '3', groups: [] } }],
      warnings: [
        { path: 'line 1', message: 'the token is empty, so the user is left out' },
        { path: 'line 3', message: 'the token is there twice: the last one counts' },
      ],
    });
  });
});
