/**
 * Keeps the listener's certificate that of the Secret, also when the operator renews it: connections that are open stay so.
 */
import { SERVER_TLS_SECRET } from '../api/index.ts';
import type { Env } from '../base/env.ts';
import { base64Bytes } from '../base/text/index.ts';
import type { PemPair } from '../certificates/index.ts';
import { after, type Caches, type Controller, done } from '../kubernetes/client/index.ts';
import { secret as secretKind } from '../kubernetes/types/index.ts';
import type { ConfigServer } from './config-server.ts';

/** The socket of the server. */
export type Listener = {
  /** Opens the port with the first one. Rejects (`CertificateUnusable`) one that cannot be used, and keeps the last. */
  readonly useCertificate: (certificate: PemPair) => Promise<void>;
};

type Options = {
  readonly caches: Caches;
  readonly env: Pick<Env, 'log'>;
  readonly namespace: string;
  readonly server: ConfigServer;
  readonly listener: Listener;
};

const CERTIFICATE = 'certificate';
/** The operator makes it when it is installed. */
const RETRY_MS = 30_000;

export function createServerController({ caches, env, namespace, server, listener }: Options): Controller {
  const secrets = caches.of(secretKind, {
    namespace,
    fieldSelector: `metadata.name=${SERVER_TLS_SECRET}`,
  });
  let served = '';
  return {
    name: 'machine-config-server',
    workers: 1,
    // The port is opened when requests can be answered.
    caches: [secrets, ...server.caches],
    watch(enqueue) {
      secrets.onChange(() => enqueue(CERTIFICATE));
      enqueue(CERTIFICATE);
    },
    async reconcile() {
      const found = secrets.get({ name: SERVER_TLS_SECRET, namespace });
      const text = (key: string) => new TextDecoder().decode(base64Bytes(found?.data?.[key] ?? ''));
      const certificate = { certPem: text('tls.crt'), keyPem: text('tls.key') };
      if (certificate.certPem === '' || certificate.keyPem === '') {
        if (served !== '') return done;
        env.log.info('Waiting for the certificate', { secret: SERVER_TLS_SECRET });
        return after(RETRY_MS, 'there is no certificate yet');
      }
      if (certificate.certPem === served) return done;
      await listener.useCertificate(certificate);
      served = certificate.certPem;
      env.log.info('Serving with the certificate', { secret: SERVER_TLS_SECRET });
      return done;
    },
  };
}
