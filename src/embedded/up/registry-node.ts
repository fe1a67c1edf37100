/**
 * The container registry of the embedded cluster: accessible on the loopback interface without authentication, and to nodes
 * by a fixed name, whatever its port.
 */
import { join } from 'node:path';
import type { Env } from '../../base/env.ts';
import { Failure } from '../../base/errors.ts';
import {
  createInsecureTransport,
  createLoopbackTransport,
  createRegistryClient,
  createTrustingTransport,
  isLoopback,
  parseImageReference,
  pushImage,
  type RegistryAccess,
  type RegistryClient,
  type RegistryTransport,
} from '../../images/index.ts';
import { createNodeRegistryTransport } from '../../images/transport-node.ts';
import { createRegistry } from '../registry/index.ts';
import { type RegistryServer, startRegistryServer } from '../registry/registry-server-node.ts';
import { openRegistryStore } from '../registry/registry-store-node.ts';
import { readImageFolder } from '../sandbox/image-folder-node.ts';
import { buildOsImage, type Shell } from '../sandbox/index.ts';
import { findShell } from '../sandbox/shell-node.ts';
import { createNodeImages, type NodeImages } from './node-images.ts';

export type EmbeddedRegistry = {
  readonly port: number;
  /** Image pulls of machines, each with its own mirrors. */
  readonly images: NodeImages;
  /** By digest. The first is for new nodes, the last is newer: to try updates with. */
  readonly osImages: readonly [ReleasedImage, ...ReleasedImage[]];
  /** `NAME=ADDRESS`: the name for nodes, and the address on this machine. */
  readonly alias: string;
  /** For the build controller, which knows the registry by its name. */
  readonly transport: RegistryTransport;
  readonly isPlainHttp: (host: string) => boolean;
  readonly stop: () => Promise<void>;
};

export type ReleasedImage = { readonly version: string; readonly reference: string };

/** The name for nodes, like in OpenShift. */
export const REGISTRY_NAME = 'image-registry.openshift-image-registry.svc:5000';
/** Its names on this machine, where it uses plain HTTP. */
const LOOPBACK = ['127.0.0.1', 'localhost'];
const OS_REPOSITORY = 'openshift/os';
const PLATFORM = { os: 'linux', architecture: 'amd64' };
const FIRST_PORT = 5000;
/** Ports tried before falling back to any free one. */
const MAX_PORTS = 20;

type RegistryOptions = {
  readonly env: Env;
  readonly folder: string;
  readonly packageRoot: string;
  /** `PATH`, for the shell of the OS image. */
  readonly searchPath: string | undefined;
  /** The previous port, which users may have noted. */
  readonly lastPort: number | undefined;
};

export async function startRegistry({
  env,
  folder,
  packageRoot,
  searchPath,
  lastPort,
}: RegistryOptions): Promise<EmbeddedRegistry> {
  const { handle } = createRegistry({ store: await openRegistryStore(folder), env });
  const server = await openPort((port) => startRegistryServer({ handle, env, port }), lastPort);
  const sockets = createNodeRegistryTransport({ clock: env.clock });
  const lenient = createNodeRegistryTransport({ clock: env.clock, isUnverified: () => true });
  const stop = async () => {
    sockets.close();
    lenient.close();
    await server.stop();
  };
  try {
    const address = `http://127.0.0.1:${server.port}`;
    const own = new Set([REGISTRY_NAME, ...LOOPBACK.map((name) => `${name}:${server.port}`)]);
    const verified = createLoopbackTransport(sockets);
    const insecure = createInsecureTransport(lenient);
    const clientFor = ({ isInsecure, authorityPem, credentialsFor }: RegistryAccess) =>
      createRegistryClient({
        transport: named(isInsecure ? insecure : createTrustingTransport(verified, authorityPem), address),
        env,
        isPlainHttp: (host) => isInsecure || own.has(host),
        credentialsFor,
      });
    const shell = await findShell(searchPath);
    const push = (name: string) =>
      pushOsImage(
        clientFor({ isInsecure: false, credentialsFor: () => undefined }),
        join(packageRoot, 'images', name),
        shell,
      );
    const osImages = [await push('base-os'), await push('next-os')] as const;
    const images = createNodeImages({ clientFor, platform: PLATFORM });
    return {
      port: server.port,
      osImages,
      images,
      alias: `${REGISTRY_NAME}=127.0.0.1:${server.port}`,
      transport: named(verified, address),
      // Registries on this machine rarely have certificates.
      isPlainHttp: (host) => host === REGISTRY_NAME || isLoopback(host),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openPort(
  open: (port: number) => Promise<RegistryServer>,
  lastPort: number | undefined,
): Promise<RegistryServer> {
  const usual = Array.from({ length: MAX_PORTS }, (_, index) => FIRST_PORT + index);
  for (const port of lastPort === undefined ? usual : [lastPort, ...usual]) {
    try {
      return await open(port);
    } catch (error) {
      if (!(error instanceof Failure) || error.reason !== 'PortTaken') throw error;
    }
  }
  return await open(0);
}

/** Resolves the fixed name, since nodes have no DNS. */
function named(transport: RegistryTransport, address: string): RegistryTransport {
  const prefix = `http://${REGISTRY_NAME}/`;
  return {
    send: (request) => {
      const { url } = request;
      return transport.send(
        url.startsWith(prefix) ? { ...request, url: `${address}/${url.slice(prefix.length)}` } : request,
      );
    },
  };
}

async function pushOsImage(
  client: RegistryClient,
  folder: string,
  shell: Shell | undefined,
): Promise<ReleasedImage> {
  const source = await readImageFolder(folder);
  const image = buildOsImage(source, { shell });
  const { digest } = image.top.descriptor;
  const { version } = source.description;
  const tagged = parseImageReference(`${REGISTRY_NAME}/${OS_REPOSITORY}:${version}`);
  if (tagged.kind === 'invalid')
    throw new Failure('stalled', 'BadImageFolder', `${folder}: its version is not a valid tag`);
  if ((await digestOfTag(client, tagged.value)) !== digest) await pushImage(client, tagged.value, image);
  return { version, reference: `${REGISTRY_NAME}/${OS_REPOSITORY}@${digest}` };
}

async function digestOfTag(
  client: RegistryClient,
  reference: Parameters<RegistryClient['resolve']>[0],
): Promise<string | undefined> {
  try {
    return (await client.resolve(reference)).digest;
  } catch (error) {
    if (error instanceof Failure && error.kind !== 'cancelled') return undefined;
    throw error;
  }
}
