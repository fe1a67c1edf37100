import { describe, expect, it } from 'vitest';
import { type Network, parseNetwork } from '../base/text/index.ts';
import { refusalOf } from './access.ts';

const networks = (...texts: readonly string[]) => texts.map((text) => parseNetwork(text) as Network);
const OPEN = { sources: [], isTokenRequired: false };
const TOKEN = { sources: [], isTokenRequired: true };
const claim = (rest: object = {}) => ({ source: '10.0.0.5', ...rest });

describe('refusalOf', () => {
  it('lets everybody in without rules', () => {
    expect(refusalOf(OPEN, claim(), [])).toBeUndefined();
  });

  it.each([
    ['10.0.0.5', undefined],
    ['::ffff:10.0.0.5', undefined],
    ['fd00::1', undefined],
    ['10.1.0.5', 403],
    ['::ffff:10.1.0.5', 403],
    ['fd01::1', 403],
    ['', 403],
    ['unknown', 403],
  ])('answers the source %s with %s', (source, status) => {
    const rules = { sources: networks('10.0.0.0/16', 'fd00::/64'), isTokenRequired: false };
    expect(refusalOf(rules, claim({ source }), [])).toBe(status);
  });

  it.each([
    ['the token as bearer', { authorization: 'Bearer right' }, undefined],
    ['the token as bearer in other spelling', { authorization: 'bearer   right ' }, undefined],
    ['the token in the query', { token: 'right' }, undefined],
    ['one of several tokens', { token: 'second' }, undefined],
    ['nothing', {}, 401],
    ['a wrong token', { token: 'wrong' }, 401],
    ['a part of the token', { token: 'righ' }, 401],
    ['more than the token', { token: 'rightx' }, 401],
    ['an empty token', { token: '' }, 401],
    ['another scheme', { authorization: 'Basic right' }, 401],
    ['a wrong header, whatever the query has', { authorization: 'Bearer wrong', token: 'right' }, 401],
  ])('answers %s', (_, given, status) => {
    expect(refusalOf(TOKEN, claim(given), ['', 'right', 'second'])).toBe(status);
  });

  it('lets nobody in while there is no token', () => {
    expect(refusalOf(TOKEN, claim({ token: '' }), [])).toBe(401);
    expect(refusalOf(TOKEN, claim({ token: '' }), [''])).toBe(401);
  });

  it('does not tell a source that is not allowed whether its token is right', () => {
    const rules = { sources: networks('10.0.0.0/16'), isTokenRequired: true };
    expect(refusalOf(rules, { source: '1.2.3.4', token: 'right' }, ['right'])).toBe(403);
  });
});
