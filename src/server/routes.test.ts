import { describe, expect, it } from 'vitest';
import { routeOf } from './routes.ts';

describe('routeOf', () => {
  it.each([
    ['GET', '/config/worker', { kind: 'config', pool: 'worker' }],
    ['HEAD', '/config/worker', { kind: 'config', pool: 'worker' }],
    ['GET', '/config/worker?token=abc', { kind: 'config', pool: 'worker', token: 'abc' }],
    ['GET', '/config/worker?a=b&token=abc&token=d', { kind: 'config', pool: 'worker', token: 'abc' }],
    ['GET', '/config/a/b/worker', { kind: 'config', pool: 'worker' }],
    ['GET', '/healthz', { kind: 'health' }],
    ['HEAD', '/healthz?verbose', { kind: 'health' }],
    ['POST', '/config/worker', { kind: 'error', status: 405 }],
    ['PUT', '/config/', { kind: 'error', status: 405 }],
    ['DELETE', '/healthz', { kind: 'error', status: 405 }],
    ['OPTIONS', '*', { kind: 'error', status: 405 }],
    ['POST', '/elsewhere', { kind: 'error', status: 405 }],
    ['GET', '/', { kind: 'error', status: 404 }],
    ['GET', '', { kind: 'error', status: 404 }],
    ['GET', '/config', { kind: 'error', status: 404 }],
    ['GET', '/config/', { kind: 'error', status: 404 }],
    ['GET', '/config/..', { kind: 'error', status: 404 }],
    ['GET', '/config/%2e%2e%2fsecrets', { kind: 'error', status: 404 }],
    ['GET', '/config/Worker', { kind: 'error', status: 404 }],
    ['GET', `/config/${'a'.repeat(300)}`, { kind: 'error', status: 404 }],
    ['GET', '/healthz/x', { kind: 'error', status: 404 }],
    ['GET', 'http://other/config/worker', { kind: 'error', status: 404 }],
  ])('%s %s', (method, target, route) => {
    expect(routeOf({ method, target })).toEqual(route);
  });
});
