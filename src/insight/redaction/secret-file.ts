/**
 * Files of a config whose content is nobody's business: others may not read them on the machine, their path is one of
 * credentials, or their content looks like one.
 */
import { withoutCredentials } from './credentials.ts';

/** By path, whatever the mode: administrators forget it. */
const SECRET_PATH =
  /(^|\/)(shadow|gshadow|kubeconfig|config\.json|auth\.json|\.dockercfg|\.netrc|\.pgpass|credentials|htpasswd|keytab|ipsec\.secrets|chap-secrets|authorized_secrets)(-|\.|$)|\.(key|p12|pfx|jks|keytab|ovpn|kubeconfig|secret|token|nmconnection)$|\/ssh_host_[a-z0-9]+_key$|\/id_(rsa|dsa|ecdsa|ed25519)$|\/system-connections\/|\/wpa_supplicant|kubeconfig|(^|\/)[^/]*(password|passwd-|secret|token|private)[^/]*$/i;

const READABLE_BY_OTHERS = 0o004;
/** Ignition's, where none is given. */
const DEFAULT_MODE = 0o644;

type ConfigFile = { readonly path: string; readonly mode: number | undefined };

/** By what is known without its content. */
export function isSecretFile({ path, mode = DEFAULT_MODE }: ConfigFile): boolean {
  return (mode & READABLE_BY_OTHERS) === 0 || SECRET_PATH.test(path);
}

/** Marks of files that hold credentials as a whole. */
const SECRET_CONTENT = /client-key-data|"auths?"\s*:|-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/;

/** Whether it holds credentials as a whole, so that no line of it may be shown. */
export function isSecretAsWhole(text: string): boolean {
  return SECRET_CONTENT.test(text);
}

export function isSecretContent(text: string): boolean {
  return isSecretAsWhole(text) || withoutCredentials(text) !== text;
}
