import { describe, expect, it } from 'vitest';
import { base64Text } from '../base/text/index.ts';
import type { Secret } from '../kubernetes/types/index.ts';
import { nodeCredentials } from './node-credentials.ts';

const utf8 = new TextEncoder();

function aSecret(name: string, auths: unknown, type = 'kubernetes.io/dockerconfigjson'): Secret {
  const key = type === 'kubernetes.io/dockercfg' ? '.dockercfg' : '.dockerconfigjson';
  const text = typeof auths === 'string' ? auths : JSON.stringify(key === '.dockercfg' ? auths : { auths });
  const data = { [key]: base64Text(utf8.encode(text)) };
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'ns' }, type, data };
}

const A = { auth: 'YTph' };
const B = { auth: 'Yjpi' };

describe('the credentials of nodes', () => {
  it('are those of all Secrets, and the later one wins for a registry that two of them name', () => {
    const puller = aSecret('puller', { 'own.example': A, 'both.example': A }, 'kubernetes.io/dockercfg');
    const cluster = aSecret('pull-secret', { 'both.example': B, 'quay.io': B });
    expect(nodeCredentials([puller, cluster], '')).toEqual({
      authFile: JSON.stringify({ auths: { 'own.example': A, 'both.example': B, 'quay.io': B } }),
      findings: [],
    });
  });

  it('are left alone where there never were any Secrets', () => {
    expect(nodeCredentials([], '')).toEqual({ authFile: '', findings: [] });
  });

  it('are removed from nodes with the last Secret', () => {
    expect(nodeCredentials([], '{"auths":{"quay.io":{}}}').authFile).toBe('{"auths":{}}');
  });

  it.each<[string, Secret, string]>([
    ['no JSON', aSecret('bad', '{hunter2'), "secret 'bad/ns': key '.dockerconfigjson' is not a JSON object"],
    [
      'another type',
      aSecret('bad', {}, 'Opaque'),
      "secret 'bad/ns' invalid secret key type Opaque, expected 'kubernetes.io/dockercfg' or 'kubernetes.io/dockerconfigjson'",
    ],
    [
      'too much',
      aSecret('bad', { 'quay.io': { auth: 'x'.repeat(300_000) } }),
      'all pull secrets together are 300033 bytes, more than 262144',
    ],
  ])('stay as they are while a Secret has %s, which is reported without its content', (_, bad, why) => {
    const { authFile, findings } = nodeCredentials([aSecret('good', { 'quay.io': A }), bad], 'present');
    expect(authFile).toBe('present');
    expect(findings).toMatchObject([
      { about: { kind: 'Secret', name: 'bad', namespace: 'ns' }, reason: 'InvalidPullSecret' },
    ]);
    expect(findings[0]?.message).toContain(`${why}: nodes keep their present credentials`);
    expect(JSON.stringify(findings)).not.toContain('hunter2');
  });
});
