/**
 * Access to the server of the cluster as the service account of this pod. Separate from kubeconfigs, so that components in
 * pods need no YAML parser.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../base/errors.ts';
import { type ServerAccess, tokenFrom } from './server-access.ts';

/** The mount path of service account tokens. */
const SERVICE_ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

type InClusterOptions = {
  readonly folder?: string;
  /** `KUBERNETES_SERVICE_HOST` and `KUBERNETES_SERVICE_PORT` of the environment. */
  readonly host: string | undefined;
  readonly port: string | undefined;
};

export async function readInCluster(options: InClusterOptions): Promise<ServerAccess> {
  const { folder = SERVICE_ACCOUNT_FOLDER, host = '', port = '' } = options;
  if (host === '' || port === '') {
    const missing = 'KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set';
    throw new Failure('stalled', 'NotInCluster', `this is no pod of a cluster: ${missing}`);
  }
  const authorityPem = await read(join(folder, 'ca.crt'));
  const token = tokenFrom(() => read(join(folder, 'token')));
  // Fail now rather than with the first request.
  await token();
  const namespace = (await read(join(folder, 'namespace')).catch(() => '')).trim();
  return {
    url: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    authorityPem,
    token,
    ...(namespace === '' ? {} : { namespace }),
  };
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    const message = `the service account cannot be read (${file}: ${code})`;
    throw new Failure('stalled', 'ServiceAccountUnreadable', message, error);
  }
}
