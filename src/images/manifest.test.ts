import { describe, expect, it } from 'vitest';
import { choosePlatform } from './choose-platform.ts';
import { type Index, parseManifest } from './manifest.ts';
import { DOCKER_LIST, DOCKER_MANIFEST, OCI_INDEX, OCI_MANIFEST } from './media-types.ts';

const bytes = (value: unknown) =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
const config = { mediaType: 'application/vnd.oci.image.config.v1+json', digest: digest('a'), size: 2 };
const layer = { mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', digest: digest('b'), size: 3 };
const image = { schemaVersion: 2, mediaType: OCI_MANIFEST, config, layers: [layer] };

describe('parseManifest', () => {
  it.each([
    ['no JSON', 'nothing', 'is not a JSON object'],
    ['bytes that are no text', new Uint8Array([0xff, 0xfe]), 'is not a JSON object'],
    ['a list', [], 'is not a JSON object'],
    ['the first schema', { schemaVersion: 1 }, 'is not of schema version 2'],
    ['another type within', { ...image, mediaType: OCI_INDEX }, 'declares mediaType'],
    ['a type that is none', { ...image, mediaType: 5 }, 'mediaType that is not a string'],
    ['no config', { ...image, config: undefined }, 'has no valid config'],
    [
      'a config of a bad digest',
      { ...image, config: { ...config, digest: 'sha256:../../x' } },
      'has no valid config',
    ],
    [
      'a layer of a negative size',
      { ...image, layers: [{ ...layer, size: -1 }] },
      'has an invalid layer (number 0)',
    ],
    ['layers that are none', { ...image, layers: {} }, 'has no valid list of layers'],
    ['too many layers', { ...image, layers: Array(1_001).fill(layer) }, 'has no valid list of layers'],
    ['an image that is an index, too', { ...image, manifests: [] }, 'which only an index has'],
    ['a bad subject', { ...image, subject: {} }, 'has an invalid subject'],
    [
      'deep nesting',
      `{"schemaVersion": 2, "x": ${'['.repeat(200)}${']'.repeat(200)}}`,
      'is nested too deeply',
    ],
  ])('rejects %s', (_, value, why) => {
    const outcome = parseManifest(value instanceof Uint8Array ? value : bytes(value), OCI_MANIFEST);
    expect(outcome.kind === 'invalid' && outcome.problems[0]?.message).toContain(why);
  });

  it('rejects a manifest above the limit', () => {
    expect(parseManifest(new Uint8Array(4 * 1024 * 1024 + 1), OCI_MANIFEST).kind).toBe('invalid');
  });

  it.each([
    ['its type from the transport', { ...image, mediaType: undefined }, OCI_MANIFEST],
    ['its type from itself', image, 'application/json'],
    ["Docker's", { ...image, mediaType: DOCKER_MANIFEST }, DOCKER_MANIFEST],
  ])('reads an image with %s', (_, value, type) => {
    expect(parseManifest(bytes(value), type)).toMatchObject({
      kind: 'ok',
      value: { kind: 'image', config, layers: [{ ...layer, isForeign: false }] },
    });
  });

  it('reads an index without a media type', () => {
    const value = {
      schemaVersion: 2,
      manifests: [{ ...layer, platform: { os: 'linux', architecture: 'arm64' } }],
    };
    expect(parseManifest(bytes(value), '')).toMatchObject({
      kind: 'ok',
      value: { kind: 'index', mediaType: OCI_INDEX },
    });
    expect(parseManifest(bytes(value), DOCKER_LIST)).toMatchObject({
      kind: 'ok',
      value: { mediaType: DOCKER_LIST },
    });
  });

  it('marks foreign layers', () => {
    const outcome = parseManifest(
      bytes({ ...image, layers: [{ ...layer, urls: ['https://a'] }] }),
      OCI_MANIFEST,
    );
    expect(outcome).toMatchObject({ kind: 'ok', value: { layers: [{ isForeign: true }] } });
  });
});

describe('choosePlatform', () => {
  const entry = (letter: string, architecture: string, variant?: string) => ({
    ...layer,
    digest: digest(letter),
    platform: { os: 'linux', architecture, ...(variant === undefined ? {} : { variant }) },
  });
  const index: Index = {
    kind: 'index',
    mediaType: OCI_INDEX,
    annotations: {},
    manifests: [
      { ...layer, digest: digest('0') },
      entry('1', 'amd64'),
      entry('2', 'amd64'),
      entry('3', 'arm', 'v6'),
      entry('4', 'arm', 'v7'),
      entry('5', 'arm64', 'v8'),
      { ...entry('6', 'amd64'), platform: { os: 'windows', architecture: 'amd64' } },
    ],
  };

  it.each([
    ['s390x', undefined, undefined],
    ['amd64', undefined, '1'],
    ['amd64', 'v3', '1'],
    ['arm', undefined, '4'],
    ['arm', 'v8', '4'],
    ['arm', 'v6', '3'],
    ['arm', 'v5', undefined],
    ['arm64', undefined, '5'],
    ['arm64', 'v8', '5'],
    ['arm64', 'v9', undefined],
  ])('for %s %s chooses %s', (architecture, variant, letter) => {
    const wanted = { os: 'linux', architecture, ...(variant === undefined ? {} : { variant }) };
    expect(choosePlatform(index, wanted)?.digest).toBe(letter && digest(letter));
  });
});
