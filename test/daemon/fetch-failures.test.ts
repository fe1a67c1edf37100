/**
 * Why an OS image may not be downloaded, with the real registry client: what the node reports, that nobody is cordoned for it, and
 * that mending the cause is enough. Refused credentials are in `pull-credentials.test.ts`.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import {
  createInProcessRegistryTransport,
  createMemoryRegistryStore,
  createRegistry,
} from '../../src/embedded/registry/index.ts';
import type { RegistryHandler } from '../../src/embedded/registry/registry-http.ts';
import { createNodeImages, type NodeImages } from '../../src/embedded/up/node-images.ts';
import { buildImage, createRegistryClient, parseImageReference, pushImage } from '../../src/images/index.ts';
import { osImages } from './daemon-node.ts';
import type { JoinedNode } from './joined-node.ts';
import { imageLeftovers } from './power-cuts.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();
const { join, untilDegraded, pass, condition } = stories;
const MINUTE = 60_000;
const REGISTRY = 'registry.example.com';
const REPOSITORY = `${REGISTRY}/team/os`;
const PLATFORM = { os: 'linux', architecture: 'amd64' };

const bytes = (text: string) => new TextEncoder().encode(text);
/** The same length, and other content. */
async function* changed(body: Uint8Array | AsyncIterable<Uint8Array>) {
  const pieces = body instanceof Uint8Array ? [body] : body;
  for await (const piece of pieces) yield piece.map((byte, at) => (at === 3 ? byte ^ 1 : byte));
}

type Wrap = (handle: RegistryHandler) => RegistryHandler;
const AS_IT_IS: Wrap = (handle) => handle;
/** What stands between the nodes and the registry now. */
let wrap: Wrap = AS_IT_IS;
let image = '';
let manifest = '';
let images: NodeImages;

beforeAll(async () => {
  const { env } = stories.cluster();
  const { handle } = createRegistry({ store: createMemoryRegistryStore(), env });
  const open = createInProcessRegistryTransport(new Map([[REGISTRY, handle]]));
  const reference = parseImageReference(`${REPOSITORY}:built`);
  if (reference.kind === 'invalid') throw new Error('it is a reference');
  const files = {
    'usr/lib/os-release': 'ID=scos\nVARIANT_ID=coreos\nVERSION_ID="9.6"\n',
    'etc/passwd': 'root:x:0:0:root:/root:/bin/bash\n',
    'usr/bin/yq': 'yq',
  };
  const items = Object.entries(files).map(([path, text]) => ({
    ...{ kind: 'file' as const, path, mode: 0o644, mtime: 0 },
    content: bytes(text),
  }));
  const built = buildImage({
    platform: PLATFORM,
    layers: [{ items }],
    labels: { version: '9.6.7' },
    created: '2026-01-01T00:00:00Z',
  });
  await pushImage(createRegistryClient({ transport: open, env }), reference.value, built);
  manifest = built.top.descriptor.digest;
  image = `${REPOSITORY}@${manifest}`;
  const transport = createInProcessRegistryTransport(
    new Map([[REGISTRY, (request) => wrap(handle)(request)]]),
  );
  images = createNodeImages({
    clientFor: ({ credentialsFor }) => createRegistryClient({ transport, env, credentialsFor }),
    platform: PLATFORM,
  });
});

/** Changes the responses to requests for a path. */
const answering =
  (
    isMeant: (path: string) => boolean,
    answer: (response: Awaited<ReturnType<RegistryHandler>>) => object,
  ): Wrap =>
  (handle) =>
  async (request) => {
    const response = await handle(request);
    return isMeant(request.path) ? { ...response, ...answer(response) } : response;
  };
const isBlob = (path: string) => path.includes('/blobs/');
const isManifest = (path: string) => path.includes('/manifests/');
const NOT_FOUND = (code: string, message: string) => () => ({
  status: 404,
  headers: { 'content-type': 'application/json' },
  body: bytes(JSON.stringify({ errors: [{ code, message }] })),
});

const bootedImage = async ({ node }: JoinedNode) =>
  (await node.machine.host.os.deployments()).find(({ isBooted }) => isBooted)?.image;

type Case = {
  readonly what: string;
  readonly wrap?: () => Wrap;
  readonly breakNode?: (joined: JoinedNode) => () => void;
  readonly reason: () => RegExp;
};

const CASES: readonly Case[] = [
  {
    what: 'a registry that cannot be reached',
    wrap: () => () => async () => {
      throw new Failure('transient', 'ConnectionRefused', `dial tcp: lookup ${REGISTRY}: no such host`);
    },
    reason: () => /no such host/,
  },
  {
    what: 'a manifest that was deleted',
    wrap: () => answering(isManifest, NOT_FOUND('MANIFEST_UNKNOWN', 'manifest unknown')),
    reason: () => new RegExp(`reading manifest ${manifest} in ${REPOSITORY}: manifest unknown`),
  },
  {
    what: 'a manifest that is another one than its digest says',
    wrap: () => answering(isManifest, ({ body }) => ({ body: changed(body) })),
    reason: () => new RegExp(`: Manifest does not match provided manifest digest ${manifest}`),
  },
  {
    what: 'a layer that is another one than its digest says',
    wrap: () => answering(isBlob, ({ body }) => ({ body: changed(body) })),
    reason: () => /Digest did not match, expected sha256:[0-9a-f]{64}, got sha256:[0-9a-f]{64}/,
  },
  {
    what: 'a layer that was deleted',
    wrap: () => answering(isBlob, NOT_FOUND('BLOB_UNKNOWN', 'blob unknown to registry')),
    reason: () => /blob unknown/,
  },
  {
    what: 'a full disk',
    breakNode: ({ node }) =>
      node.disk.addFault({ path: '/machine/images', code: 'ENOSPC', calls: ['create', 'write'] }),
    reason: () => /no space left on device/i,
  },
];

describe('a node that cannot download its OS image', () => {
  it.each(CASES)('is degraded and stays schedulable, and recovers by itself: $what', async (given) => {
    const joined = await join({}, { images: osImages(), pullerFor: images.pullerFor });
    const { node } = joined;
    const cordons: boolean[] = [];
    stories.cluster().nodes.onChange(({ after }) => {
      if (after?.metadata.name === node.name && after.spec.unschedulable === true) cordons.push(true);
    });
    wrap = given.wrap?.() ?? AS_IT_IS;
    const mend = given.breakNode?.(joined);
    const next = await joined.sendTo('next', { osImage: image });
    const reason = await untilDegraded(joined, /after retries/, 60 * MINUTE);
    expect(reason).toMatch(
      /^Failed to update OS to \S+ after retries: timed out waiting for the condition; last error: /,
    );
    expect(reason).toMatch(given.reason());
    expect(await condition(joined, 'NodeDegraded')).toBe(
      `True NodeDegraded: Node ${node.name} upgrade failure. ${reason}`,
    );
    await pass(10 * MINUTE);
    expect(cordons).toEqual([]);
    expect(await imageLeftovers(node)).toEqual([]);
    wrap = AS_IT_IS;
    mend?.();
    await stories.cluster().untilDone(node.name, next, 60 * MINUTE);
    expect(await bootedImage(joined)).toBe(image);
    expect(await node.text('/usr/bin/yq')).toBe('yq');
  });
});
