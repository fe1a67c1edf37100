/** Registries that machines pull from by their names, with TLS; each remembers its requests. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { silentLog, systemClock, systemRandom } from '../../src/base/env.ts';
import { createRegistry } from '../../src/embedded/registry/index.ts';
import { startRegistryServer } from '../../src/embedded/registry/registry-server-node.ts';
import { openRegistryStore } from '../../src/embedded/registry/registry-store-node.ts';
import { type Certificates, pathOf } from '../kubernetes/certificates.ts';
import { runTool } from '../lab/run-tool.ts';
import { REGISTRIES, type RegistryName } from './addresses.ts';
import { type ForwardContext, forwardIn } from './forward.ts';

export type ClusterRegistry = {
  /** What machines have asked it for since it started: `GET /v2/lab/busybox/manifests/1`. */
  readonly requests: readonly string[];
  /** Copies an image into it; `source` is in the form of `skopeo`. Returns its digest. */
  readonly push: (source: string, repository: string) => Promise<string>;
  readonly stop: () => Promise<void>;
};

const env = { clock: systemClock, random: systemRandom, log: silentLog };

export async function startRegistry(
  context: ForwardContext,
  { name, certificates }: { readonly name: RegistryName; readonly certificates: Certificates },
): Promise<ClusterRegistry> {
  const folder = join(context.folder, name);
  await mkdir(folder);
  const registry = createRegistry({ store: await openRegistryStore(folder), env });
  const requests: string[] = [];
  const { directory } = certificates;
  const certificate = {
    certPem: await readFile(pathOf(directory, 'registries.crt'), 'utf8'),
    keyPem: await readFile(pathOf(directory, 'registries.key'), 'utf8'),
  };
  // Machines and tests come in by different servers: only the machines' requests are remembered.
  const own = await startRegistryServer({ handle: registry.handle, env, port: 0 });
  const server = await startRegistryServer({
    handle: (request) => {
      requests.push(`${request.method} ${request.path}`);
      return registry.handle(request);
    },
    env,
    port: 0,
    certificate,
  });
  const listen = `${REGISTRIES[name]}:443`;
  const forwarding = await forwardIn(context, { name, listen, port: server.port });
  return {
    requests,
    async push(source, repository) {
      const target = `docker://127.0.0.1:${own.port}/${repository}`;
      const digestFile = join(folder, 'digest');
      const flags = [
        '--quiet',
        '--preserve-digests',
        '--dest-tls-verify=false',
        `--digestfile=${digestFile}`,
      ];
      await runTool(['skopeo', 'copy', ...flags, source, target]);
      return (await readFile(digestFile, 'utf8')).trim();
    },
    async stop() {
      await forwarding.stop();
      await server.stop();
      await own.stop();
    },
  };
}
