import { describe, expect, it } from 'vitest';
import { pointerConfig } from '../../../joining/index.ts';
import { pointerRequest } from './pointer-request.ts';

const TARGET = { serverUrl: 'https://10.0.0.1:22623', pool: 'worker', authorityPem: 'CA', token: 'secret' };

describe('what a machine requests according to its pointer config', () => {
  it('is what our own pointers name: the server, its CA, and the token as a header', () => {
    expect(pointerRequest(JSON.stringify(pointerConfig(TARGET)))).toEqual({
      url: 'https://10.0.0.1:22623/config/worker',
      headers: { Authorization: 'Bearer secret' },
      authorities: ['CA'],
    });
  });

  it.each([
    ['{', 'it is not JSON'],
    ['{"ignition":{"version":"3.5.0"}}', 'it must name one https:// source'],
    [
      '{"ignition":{"version":"3.5.0","config":{"merge":[{"source":"http://a/config/worker"}]}}}',
      'it must name one https:// source',
    ],
  ])('is refused where the pointer is unusable: %s', (text, why) => {
    expect(() => pointerRequest(text)).toThrow(`the pointer config cannot be used: ${why}`);
  });
});
