import { describe, expect, it } from 'vitest';
import type { Image } from '../../api/index.ts';
import type { ConfigMap } from '../../kubernetes/types/index.ts';
import { readRegistryBundles } from './registry-bundles.ts';

const PEM = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const OTHER = PEM.replace('MIIB', 'MIIC');
const bundle = (file: string, pem = PEM) => ({ file, data: btoa(pem) });

function aMap(content: Pick<ConfigMap, 'data' | 'binaryData'>, name = 'registry-cas'): ConfigMap {
  const metadata = { name, namespace: 'openshift-config' };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, ...content };
}

function anImage(name: string): Image {
  const spec = { additionalTrustedCA: { name } };
  return { apiVersion: 'config.openshift.io/v1', kind: 'Image', metadata: { name: 'cluster' }, spec };
}

describe('readRegistryBundles', () => {
  it('has an entry for every key of both ConfigMaps, sorted', () => {
    const user = aMap({ data: { 'b.example..5000': PEM, 'a.example': OTHER } });
    const managed = aMap({ data: { 'image-registry.openshift-image-registry.svc..5000': PEM } });
    expect(readRegistryBundles({ image: anImage('registry-cas'), user, managed }, {})).toEqual({
      imageRegistryBundleData: [bundle('image-registry.openshift-image-registry.svc..5000')],
      imageRegistryBundleUserData: [bundle('a.example', OTHER), bundle('b.example..5000')],
      findings: [],
    });
  });

  it('reads values as bytes, as base64 or as text', () => {
    const user = aMap({ binaryData: { a: btoa(PEM) }, data: { b: `${btoa(PEM)}\n`, c: PEM } });
    const { imageRegistryBundleUserData } = readRegistryBundles({ user }, {});
    expect(imageRegistryBundleUserData).toEqual([bundle('a'), bundle('b'), bundle('c')]);
  });

  it('is empty without ConfigMaps, whatever nodes have at present', () => {
    const present = { imageRegistryBundleUserData: [bundle('a')], imageRegistryBundleData: [bundle('b')] };
    expect(readRegistryBundles({}, present)).toEqual({
      imageRegistryBundleData: [],
      imageRegistryBundleUserData: [],
      findings: [],
    });
  });

  it('reports a ConfigMap that the Image names and that does not exist on the Image', () => {
    expect(readRegistryBundles({ image: anImage('lost') }, {}).findings).toEqual([
      {
        about: { apiVersion: 'config.openshift.io/v1', kind: 'Image', name: 'cluster' },
        reason: 'InvalidImageConfig',
        message:
          'ConfigMap "lost" of spec.additionalTrustedCA does not exist in the namespace openshift-config: create it there, or remove the field; nodes trust no additional CAs',
      },
    ]);
  });

  it('leaves out a key that is no registry, and reports it on the ConfigMap', () => {
    const user = aMap({ data: { 'registry_example..5000': PEM, 'good.example': PEM } });
    const { imageRegistryBundleUserData, findings } = readRegistryBundles({ user }, {});
    expect(imageRegistryBundleUserData).toEqual([bundle('good.example')]);
    expect(findings).toEqual([
      {
        about: {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          namespace: 'openshift-config',
          name: 'registry-cas',
        },
        reason: 'InvalidTrustedCA',
        message:
          'key "registry_example..5000" is not a registry: write its host name, and a port after two dots, such as registry.example.com..5000; it is ignored',
      },
    ]);
  });

  it.each(['', 'secret stuff', '-----BEGIN CERTIFICATE-----', PEM.replaceAll('CERTIFICATE', 'PRIVATE KEY')])(
    'ignores a value without a certificate and never quotes it (%#)',
    (value) => {
      const { imageRegistryBundleUserData, findings } = readRegistryBundles(
        { user: aMap({ data: { 'a.example': value } }) },
        {},
      );
      expect(imageRegistryBundleUserData).toEqual([]);
      expect(findings.map(({ message }) => message)).toEqual([
        'the value of key "a.example" has no certificate in PEM format; it is ignored',
      ]);
    },
  );

  it('keeps the present CA of a registry whose new value has no certificate', () => {
    const user = aMap({ data: { 'a.example': 'mistyped', 'b.example': OTHER } });
    const present = { imageRegistryBundleUserData: [bundle('a.example'), bundle('b.example')] };
    const { imageRegistryBundleUserData, findings } = readRegistryBundles({ user }, present);
    expect(imageRegistryBundleUserData).toEqual([bundle('a.example'), bundle('b.example', OTHER)]);
    expect(findings.map(({ message }) => message)).toEqual([
      'the value of key "a.example" has no certificate in PEM format; nodes keep the present CA of this registry',
    ]);
  });

  it('keeps everything as it is where the CAs do not fit into the ControllerConfig', () => {
    const large = PEM.replace('MIIB', 'A'.repeat(800_000));
    const present = { imageRegistryBundleUserData: [bundle('a.example')] };
    const read = readRegistryBundles({ user: aMap({ data: { 'b.example': large } }) }, present);
    expect(read.imageRegistryBundleUserData).toEqual([bundle('a.example')]);
    expect(read.imageRegistryBundleData).toEqual([]);
    expect(read.findings).toHaveLength(1);
    expect(read.findings[0]?.message).toMatch(/^the CAs of all registries are 1 bundles of 10\d{5} bytes/);
  });

  it('reports ten problems of a ConfigMap at most', () => {
    const keys = Array.from({ length: 30 }, (_, index) => [`bad_${index}`, PEM] as const);
    const { findings } = readRegistryBundles({ user: aMap({ data: Object.fromEntries(keys) }) }, {});
    expect(findings).toHaveLength(11);
    expect(findings.map(({ message }) => message)).toContain('and 20 more of its keys');
  });

  it('reads a hostile value in linear time', () => {
    const user = aMap({ data: { 'a.example': `-----BEGIN CERTIFICATE-----${' '.repeat(900_000)}` } });
    expect(readRegistryBundles({ user }, {}).imageRegistryBundleUserData).toEqual([]);
  });
});
