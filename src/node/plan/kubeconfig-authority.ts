/**
 * The CAs by which a kubeconfig of the kubelet knows the API server. They follow the ControllerConfig (`rootCAData`) without an
 * update, so that a kubelet knows the API server before that has a certificate of a new CA.
 *
 * CAs are added and never removed: the API server may still have a certificate of one that is no longer listed, and a kubelet that
 * does not know it is lost to the cluster.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { objectsAt, optionalStringAt, stringAt } from '../../base/json-fields.ts';
import { base64Bytes, base64Text, pemCertificates } from '../../base/text/index.ts';
import { formatYaml, parseYaml } from '../../base/yaml/index.ts';

type AuthorityChange =
  /** It has all CAs. */
  | { readonly kind: 'none' }
  /** `isUsed`: the kubelet may meet a certificate of the new CAs, and has to read the file again. */
  | { readonly kind: 'change'; readonly text: string; readonly isUsed: boolean }
  /** It is not a file that follows. */
  | { readonly kind: 'left'; readonly why: string };

const CA_DATA = 'certificate-authority-data';

/** `text`: of the kubeconfig; `bundle`: the CAs of the API server, in PEM. */
export function authorityChange(text: string, bundle: string): AuthorityChange {
  const wanted = pemCertificates(bundle);
  if (wanted.length === 0) return { kind: 'none' };
  const file = fileOf(text);
  if (file === undefined) return { kind: 'left', why: 'it is no kubeconfig' };
  const name = clusterName(file);
  const cluster = objectsAt(file, 'clusters').find((one) => stringAt(one, 'name') === name);
  const data = optionalStringAt(cluster, 'cluster', CA_DATA);
  const present = data === undefined ? undefined : pemCertificates(textOf(data));
  // By a file of another program, or not at all.
  if (present === undefined) return { kind: 'left', why: `its current cluster has no ${CA_DATA}` };
  const added = wanted.filter((certificate) => !present.includes(certificate));
  if (added.length === 0) return { kind: 'none' };
  const dropped = present.filter((certificate) => !wanted.includes(certificate));
  const authorities = base64Text(new TextEncoder().encode([...wanted, ...dropped].join('')));
  return {
    kind: 'change',
    text: formatYaml(withAuthorities(file, name, authorities)),
    isUsed: !added.every(isOfOtherAddress),
  };
}

function fileOf(text: string): JsonObject | undefined {
  const parsed = parseYaml(text);
  const [document, ...others] = parsed.kind === 'ok' ? parsed.value : [];
  return others.length === 0 && isJsonObject(document?.value) ? document.value : undefined;
}

/** The one of the current context; without one the first, as the kubelet's own files have only one. */
function clusterName(file: JsonObject): string {
  const current = stringAt(file, 'current-context');
  const context = objectsAt(file, 'contexts').find((one) => stringAt(one, 'name') === current);
  return stringAt(context, 'context', 'cluster') || stringAt(objectsAt(file, 'clusters')[0], 'name');
}

function withAuthorities(file: JsonObject, name: string, data: string): JsonObject {
  const { clusters } = file;
  if (!Array.isArray(clusters)) return file;
  return {
    ...file,
    clusters: clusters.map((one: Json) => {
      if (!isJsonObject(one) || stringAt(one, 'name') !== name || !isJsonObject(one.cluster)) return one;
      return { ...one, cluster: { ...one.cluster, [CA_DATA]: data } };
    }),
  };
}

/** Of OpenShift: they sign certificates for addresses of the API server that kubelets do not use. */
const OTHER_SIGNERS = [
  'kube-apiserver-localhost-signer',
  'openshift-kube-apiserver-operator_localhost-recovery-serving-signer',
  'kube-apiserver-lb-signer',
];

/** The name of a signer is readable in the bytes of its certificate. */
function isOfOtherAddress(certificate: string): boolean {
  const [, body = ''] = certificate.split('-----\n');
  const content = new TextDecoder('latin1').decode(base64Bytes(body.replace(/-----END.*|\s/g, '')));
  return OTHER_SIGNERS.some((signer) => content.includes(signer));
}

function textOf(base64: string): string {
  return new TextDecoder().decode(base64Bytes(base64.replace(/\s/g, '')));
}
