/**
 * A registry that asks for a password, and the credentials of a node: from the ControllerConfig to a file that rpm-ostree is
 * linked to, and what the log says about it.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { controllerConfig as controllerConfigKind } from '../../src/api/index.ts';
import type { RegistryHandler } from '../../src/embedded/registry/registry-http.ts';
import type { NodeImages } from '../../src/embedded/up/node-images.ts';
import { EMPTY_CONTROLLER_CONFIG_SPEC } from '../support/controller-config-spec.ts';
import { virtualEnv } from '../support/virtual-env.ts';
import { osImages } from './daemon-node.ts';
import { createImageRegistry, REGISTRY } from './image-registry.ts';
import type { JoinedNode } from './joined-node.ts';
import { setUpStories } from './story-cluster.ts';

const stories = setUpStories();
const { join, annotate, untilDegraded } = stories;
const MINUTE = 60_000;
const PASSWORD = 'correct horse';
const FILE = '/etc/mco/internal-registry-pull-secret.json';

const bytes = (text: string) => new TextEncoder().encode(text);
const registryEnv = virtualEnv();
let image = '';
let images: NodeImages;

/** As Debian's docker-registry with htpasswd. */
function guarded(handle: RegistryHandler): RegistryHandler {
  return async (request) => {
    if (request.headers.authorization === `Basic ${btoa(`node:${PASSWORD}`)}`) return await handle(request);
    const errors = [{ code: 'UNAUTHORIZED', message: 'authentication required', detail: null }];
    return {
      status: 401,
      headers: { 'www-authenticate': 'Basic realm="Registry"' },
      body: bytes(JSON.stringify({ errors })),
    };
  };
}

beforeAll(async () => {
  ({ image, images } = await createImageRegistry(registryEnv, guarded));
});
afterAll(() => registryEnv.stop());

async function setCredentials(password: string | undefined): Promise<void> {
  const { kube } = stories.cluster();
  const auths = password === undefined ? {} : { [REGISTRY]: { auth: btoa(`node:${password}`) } };
  const internalRegistryPullSecret = btoa(JSON.stringify({ auths }));
  const name = 'machine-config-controller';
  if ((await kube.get(controllerConfigKind, { name })) === undefined) {
    const certificates = { kubeAPIServerServingCAData: btoa('ca'), rootCAData: btoa('root') };
    await kube.create(controllerConfigKind, {
      apiVersion: 'machineconfiguration.openshift.io/v1',
      kind: 'ControllerConfig',
      metadata: { name },
      spec: { ...EMPTY_CONTROLLER_CONFIG_SPEC, ...certificates, internalRegistryPullSecret },
    });
  } else {
    const body = { spec: { internalRegistryPullSecret } };
    await kube.patch(controllerConfigKind, { name }, { type: 'merge', body });
  }
}

const hasImage =
  ({ node }: JoinedNode) =>
  async () =>
    (await stories.cluster().annotation(node.name, 'currentImage')) === image &&
    (await stories.cluster().annotation(node.name, 'state')) === 'Done';

const joinIt = () => join({}, { images: osImages(), pullerFor: images.pullerFor, logsCommands: true });

describe('a node whose image is in a registry that asks for a password', () => {
  it('pulls with the credentials of the ControllerConfig', async () => {
    await setCredentials(PASSWORD);
    const joined = await joinIt();
    const { node } = joined;
    expect(JSON.parse((await node.text(FILE)) ?? '')).toHaveProperty(['auths', REGISTRY]);
    expect((await node.machine.host.files.stat(FILE))?.mode).toBe(0o600);
    await annotate(joined, { desiredImage: image });
    await stories.cluster().until('it has the image', hasImage(joined));
    expect(await node.text('/usr/bin/yq')).toBe('yq');
  });

  it.each([
    ['wrong credentials', 'wrong'],
    ['no credentials', undefined],
  ])('is degraded with %s, is not drained, and recovers when they are mended', async (_, password) => {
    await setCredentials(password);
    const joined = await joinIt();
    const { node } = joined;
    const from = node.lines.length;
    await annotate(joined, { desiredImage: image });
    const reason = await untilDegraded(joined, /after retries/, 30 * MINUTE);
    const [name = '', digest = ''] = image.split('@');
    const refusal = `reading manifest ${digest} in ${name}: authentication required`;
    expect(reason).toContain(
      `Failed to update OS to ${image} after retries: timed out waiting for the condition; last error: error running rpm-ostree rebase`,
    );
    expect(reason).toContain(refusal);
    expect((await stories.cluster().node(node.name)).spec.unschedulable).toBeUndefined();
    const lines = node.lines.slice(from);
    const log = lines.join('\n');
    const rebase = `rpm-ostree rebase --experimental ostree-unverified-registry:${image} --download-only`;
    const begin = lines.indexOf(`I Updating OS to layered image "${image}"`);
    expect(lines.slice(begin, begin + 7)).toEqual([
      `I Updating OS to layered image "${image}"`,
      '- Running captured: rpm-ostree --version',
      `- Linking rpm-ostree authfile to ${FILE}`,
      expect.stringContaining(`Executing rebase to ${image}`),
      `- Running: ${rebase}`,
      `- Pulling manifest: ostree-unverified-registry:${image}`,
      `W Failed to update OS to ${image} (will retry): error running ${rebase}: error: Creating importer: failed to invoke method OpenImage: failed to invoke method OpenImage: ${refusal}: exit status 1`,
    ]);
    expect(`${log}${reason}${node.machine.journal.join()}`).not.toContain(btoa(`node:${password}`));
    await setCredentials(PASSWORD);
    await stories.cluster().until('it has the image', hasImage(joined), 30 * MINUTE);
  });
});
