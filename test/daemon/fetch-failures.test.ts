/**
 * Why an OS image may not be downloaded, with the real registry client: what the node reports, that nobody is cordoned for it, and
 * that mending the cause is enough. Refused credentials are in `pull-credentials.test.ts`.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import type { RegistryHandler } from '../../src/embedded/registry/registry-http.ts';
import type { NodeImages } from '../../src/embedded/up/node-images.ts';
import { osImages } from './daemon-node.ts';
import { createImageRegistry, REGISTRY } from './image-registry.ts';
import type { JoinedNode } from './joined-node.ts';
import { imageLeftovers } from './power-cuts.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();
const { join, untilDegraded, pass, condition } = stories;
const MINUTE = 60_000;
const REPOSITORY = `${REGISTRY}/team/os`;

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
  ({ image, manifest, images } = await createImageRegistry(stories.cluster().env, (handle) => wrap(handle)));
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
