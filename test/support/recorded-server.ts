/**
 * An API server of this process behind a TLS socket, for commands that are run as users run them. Every request is recorded, with the
 * size of its answer before compression.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, silentLog, systemClock } from '../../src/base/env.ts';
import { startHttpsServer } from '../../src/embedded/apiserver/http/https-server-node.ts';
import type { ApiServer } from '../../src/embedded/apiserver/index.ts';
import { renewPki } from '../../src/embedded/apiserver/pki/certificates-node.ts';
import { updatedKubeconfig } from '../../src/embedded/apiserver/pki/kubeconfig.ts';

type RecordedRequest = {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly bytes: number;
};

export type RecordedServer = {
  /** Of an administrator, unless `user` says otherwise. */
  readonly kubeconfig: string;
  /** Those since the last call. */
  readonly take: () => readonly RecordedRequest[];
  readonly stop: () => Promise<void>;
};

type Recording = {
  readonly server: Pick<ApiServer, 'handle'>;
  /** Of the cluster, which may be a virtual one: answers carry its time. */
  readonly clock: Pick<Clock, 'now'>;
  /** For the kubeconfig. */
  readonly folder: string;
  /** Who sends all requests. */
  readonly user?: { readonly name: string; readonly groups: readonly string[] };
};

export async function startRecordedServer({
  server,
  clock,
  folder,
  user,
}: Recording): Promise<RecordedServer> {
  const pki = renewPki({}, { clock: systemClock });
  let requests: RecordedRequest[] = [];
  const handle: ApiServer['handle'] = async (request) => {
    const response = await server.handle({ ...request, ...(user && { certificateUser: user }) });
    const { method, path, query } = request;
    const bytes = response.body instanceof Uint8Array ? response.body.length : 0;
    requests.push({ method, path, query, bytes });
    const date = new Date(clock.now()).toUTCString();
    return { ...response, headers: [...response.headers, ['date', date]] };
  };
  const socket = await startHttpsServer({
    ...{ handle, env: { clock: systemClock, log: silentLog }, port: 0 },
    ...{ certificate: pki.server, authorityPem: pki.authority.certPem },
  });
  const kubeconfig = join(folder, `kubeconfig-${user?.name ?? 'admin'}`);
  const { certPem: certificate, keyPem: key } = pki.admin;
  const access = { server: `https://127.0.0.1:${socket.port}`, authority: pki.authority.certPem };
  writeFileSync(kubeconfig, updatedKubeconfig(undefined, { ...access, certificate, key }) ?? '', {
    mode: 0o600,
  });
  return {
    kubeconfig,
    take() {
      const taken = requests;
      requests = [];
      return taken;
    },
    stop: () => socket.stop(),
  };
}
