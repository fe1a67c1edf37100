/**
 * PEM bundles of certificates.
 */

const CERTIFICATE = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g;
const LINE_CHARACTERS = 64;

/**
 * The certificates of a bundle, each once and written alike, with a newline at the end: the same ones have the same text. What is
 * between them, such as comments and keys, is left out.
 */
export function pemCertificates(bundle: string): readonly string[] {
  const found = [...bundle.matchAll(CERTIFICATE)].map(([, body = '']) => body.replace(/\s/g, ''));
  return [...new Set(found.filter((body) => body !== ''))].map(certificateText);
}

/** The first bundle as it is, and after it the certificates of the others that it lacks. */
export function joinPemBundles([first = '', ...others]: readonly string[]): string {
  const known = new Set(pemCertificates(first));
  const added = pemCertificates(others.join('\n')).filter((certificate) => !known.has(certificate));
  if (added.length === 0) return first;
  return `${first}${first === '' || first.endsWith('\n') ? '' : '\n'}${added.join('')}`;
}

function certificateText(body: string): string {
  const lines: string[] = [];
  for (let at = 0; at < body.length; at += LINE_CHARACTERS) lines.push(body.slice(at, at + LINE_CHARACTERS));
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
