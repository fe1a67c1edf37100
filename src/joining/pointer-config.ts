/**
 * The short Ignition config of new machines. It fits into the user data of any platform, and stays the same when the config of
 * the pool changes: it names the server that has that, and the CA by which the machine recognises it.
 */

import type { JsonObject } from '../base/json.ts';
import { base64DataUrl, emptyConfig, encodeIgnition, type IgnitionConfig } from '../config/ignition/index.ts';

export type PointerTarget = {
  /** `https://api-int.example:22623`. */
  readonly serverUrl: string;
  readonly pool: string;
  /** Of the serving certificate, in PEM. */
  readonly authorityPem: string;
  /** Where the server asks for one. */
  readonly token?: string;
};

/** As JSON of version 3.5.0, as upstream writes it. */
export function pointerConfig({ serverUrl, pool, authorityPem, token }: PointerTarget): JsonObject {
  const headers =
    token === undefined ? {} : { httpHeaders: [{ name: 'Authorization', value: `Bearer ${token}` }] };
  const config: IgnitionConfig = {
    ignition: {
      ...emptyConfig.ignition,
      config: { merge: [{ source: `${serverUrl.replace(/\/$/, '')}/config/${pool}`, ...headers }] },
      security: {
        tls: {
          certificateAuthorities: [{ source: base64DataUrl('text/plain;charset=utf-8', authorityPem) }],
        },
      },
    },
  };
  return encodeIgnition(config);
}
