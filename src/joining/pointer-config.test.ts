import { describe, expect, it } from 'vitest';
import { decodeDataUrl, parseIgnition } from '../config/ignition/index.ts';
import { pointerConfig } from './pointer-config.ts';

const TARGET = { serverUrl: 'https://api-int.example:22623', pool: 'infra', authorityPem: 'the CA\n' };

describe('pointerConfig', () => {
  it('names the server, the pool and the CA', () => {
    const pointer = pointerConfig(TARGET);
    expect(pointer).toEqual({
      ignition: {
        version: '3.5.0',
        config: { merge: [{ source: 'https://api-int.example:22623/config/infra' }] },
        security: {
          tls: {
            certificateAuthorities: [{ source: `data:text/plain;charset=utf-8;base64,${btoa('the CA\n')}` }],
          },
        },
      },
    });
    expect(parseIgnition(pointer)).toMatchObject({ kind: 'ok' });
    expect(decodeDataUrl(`data:text/plain;charset=utf-8;base64,${btoa('the CA\n')}`)).toMatchObject({
      mediaType: 'text/plain;charset=utf-8',
    });
  });

  it('carries the token where there is one', () => {
    const pointer = pointerConfig({ ...TARGET, token: 'secret' });
    expect(parseIgnition(pointer)).toMatchObject({
      kind: 'ok',
      value: {
        ignition: {
          config: { merge: [{ httpHeaders: [{ name: 'Authorization', value: 'Bearer secret' }] }] },
        },
      },
    });
  });
});
