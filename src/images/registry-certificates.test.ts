import { describe, expect, it } from 'vitest';
import {
  type CertificateReader,
  createTrustingTransport,
  readRegistryCertificates,
} from './registry-certificates.ts';
import type { RegistryTransportRequest } from './transport.ts';

function machine(files: { readonly [path: string]: string }): CertificateReader {
  return {
    async read(path) {
      const text = files[path];
      return text === undefined ? undefined : new TextEncoder().encode(text);
    },
    async list(folder) {
      const inside = Object.keys(files).filter((path) => path.startsWith(`${folder}/`));
      const names = new Set(inside.map((path) => path.slice(folder.length + 1).split('/')[0] ?? ''));
      return names.size === 0 ? undefined : [...names];
    },
  };
}

describe('readRegistryCertificates', () => {
  it('reads every .crt file of the folder of the registry, by name', async () => {
    const files = machine({
      '/etc/docker/certs.d/a.example:5000/z.crt': 'Z',
      '/etc/docker/certs.d/a.example:5000/ca.crt': 'CA',
      '/etc/docker/certs.d/a.example:5000/client.cert': 'client',
      '/etc/docker/certs.d/a.example:5000/client.key': 'key',
      '/etc/docker/certs.d/.create': '',
    });
    expect(await readRegistryCertificates(files, 'a.example:5000')).toBe('CA\nZ');
    expect(await readRegistryCertificates(files, 'a.example')).toBeUndefined();
  });

  it('prefers the folder in /etc/containers, also where it has no CA', async () => {
    const docker = { '/etc/docker/certs.d/a.example/ca.crt': 'docker' };
    const containers = { '/etc/containers/certs.d/a.example/ca.crt': 'containers' };
    expect(await readRegistryCertificates(machine({ ...docker, ...containers }), 'a.example')).toBe(
      'containers',
    );
    const empty = { '/etc/containers/certs.d/a.example/notes.txt': '' };
    expect(await readRegistryCertificates(machine({ ...docker, ...empty }), 'a.example')).toBeUndefined();
  });
});

describe('createTrustingTransport', () => {
  it('adds the CAs to every request', async () => {
    const sent: RegistryTransportRequest[] = [];
    const transport = {
      async send(request: RegistryTransportRequest) {
        sent.push(request);
        return { status: 200, headers: {}, body: (async function* () {})() };
      },
    };
    await createTrustingTransport(transport, 'pem').send({ method: 'GET', url: 'https://a/', headers: {} });
    expect(sent).toEqual([{ method: 'GET', url: 'https://a/', headers: {}, authorityPem: 'pem' }]);
    expect(createTrustingTransport(transport, undefined)).toBe(transport);
  });
});
