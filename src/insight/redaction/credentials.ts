/**
 * Replaces what looks like a credential in a text that others have written: an error of a registry, a unit, a kernel argument.
 *
 * By form alone, so it errs on the side of removing too much. Whole fields that hold credentials are removed by name
 * (`redact-object.ts`).
 */

import { base64Bytes } from '../../base/text/index.ts';

/** What stands in for a credential; a digest is appended where equality matters. */
const REDACTED = '[redacted]';

/** Names of variables, options and fields whose value is a credential. */
const NAME =
  '[\\w.-]*(?:passw(?:or)?d|passphrase|(?:root|ssh)pw|secret|token|api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|credential|auth)s?';

const PATTERNS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // Keys in PEM, also with escaped line breaks, also cut off.
  [/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g, REDACTED],
  // https://user:password@host
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@'"]*:[^\s/@'"]*@/gi, `$1${REDACTED}@`],
  [
    /(\bauthorization["']?\s*[:=]\s*["']?)(?:(?:bearer|basic|digest|negotiate|token)\s+)?[^\s"',;]+/gi,
    `$1${REDACTED}`,
  ],
  [/\b((?:bearer|basic)\s+)[A-Za-z0-9+/_=.~-]{8,}/gi, `$1${REDACTED}`],
  // curl -u ann:password, skopeo --dest-creds ann:password
  [
    /((?:^|[\s"'])(?:-[uU]|--(?:proxy-)?user|--[\w-]*creds)(?:["'],\s*["']|[\s=]+["']?)[^\s:"']+:)[^\s"']+/g,
    `$1${REDACTED}`,
  ],
  // echo 'ann:password' | chpasswd, echo password | passwd --stdin ann
  [/(\becho\s+["']?[\w.-]+:)[^\s"'|]+(?=["']?\s*\|\s*(?:[\w/]*\/)?chpasswd\b)/g, `$1${REDACTED}`],
  [/(\becho\s+["']?)[^\s"'|]+(?=["']?\s*\|\s*(?:[\w/]*\/)?passwd\b)/g, `$1${REDACTED}`],
  // Addresses that are signed.
  [/([?&](?:x-amz-(?:signature|credential|security-token)|sig|signature)=)[^\s&"']+/gi, `$1${REDACTED}`],
  // Tokens that are known by their form: of GitHub, GitLab, Slack, AWS, Google, npm, Docker, Vault, OpenShift and k3s.
  [
    /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}|(?:AKIA|ASIA)[0-9A-Z]{16}|ya29\.[\w-]{20,}|npm_\w{30,}|dckr_pat_[\w-]{20,}|hvs\.[\w-]{20,}|sha256~[\w-]{20,}|K10[0-9a-f]{40,}::[^\s"']+)/g,
    REDACTED,
  ],
  // JSON Web Tokens.
  [/\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*)?/g, REDACTED],
  // Password hashes: $6$salt$hash, $2b$10$…, $y$…
  [/\$(?:1|2[abxy]?|5|6|7|y|gy|sha1|argon2(?:id?|d))\$[^\s:'"]{8,}/g, REDACTED],
  // NAME=value, --name value, ["--name", "value"], ENV NAME value, "name": "value"; name: value only where it is no word of a sentence.
  [new RegExp(`(\\b${NAME}\\s*=\\s*["']?)[^\\s"',;&]+`, 'gi'), `$1${REDACTED}`],
  [new RegExp(`(--${NAME}(?:["'],\\s*["']|[\\s]+["']?))[^\\s"'-][^\\s"']*`, 'gi'), `$1${REDACTED}`],
  [new RegExp(`(\\bENV\\s+${NAME}\\s+["']?)[^\\s"'=]+`, 'gi'), `$1${REDACTED}`],
  [new RegExp(`(["']${NAME}["']\\s*:\\s*["'])[^"']+`, 'gi'), `$1${REDACTED}`],
  [new RegExp(`(\\b${NAME}:\\s*)(?=[^\\s"',;]*\\d)[^\\s"',;]{8,}`, 'gi'), `$1${REDACTED}`],
];

export function withoutCredentials(text: string): string {
  let clean = text;
  for (const [pattern, replacement] of PATTERNS) clean = clean.replace(pattern, replacement);
  return clean.replace(PACKED, (run) => (isPackedCredential(run) ? REDACTED : run));
}

/** Also in lines. Shorter texts hold no key, no password hash and no auth file. */
const PACKED = /[A-Za-z0-9+/]{24,}(?:\s*\n\s*[A-Za-z0-9+/]{24,})*(?:\s*\n\s*[A-Za-z0-9+/]{2,}(?==))?={0,2}/g;
/** A digest, or a word. */
const NOT_PACKED = /^(?:[0-9a-f]+|[a-z/]+|[A-Z]+)$/;

/** Base64 of a text with credentials, or of something compressed, which may be anything. */
function isPackedCredential(run: string): boolean {
  if (NOT_PACKED.test(run)) return false;
  const digits = run.replaceAll(/[\s=]/g, '');
  // What is left of a text that was cut off, or that has no padding, makes no difference.
  const bytes = base64Bytes(digits.slice(0, digits.length - (digits.length % 4)));
  if (bytes === undefined) return false;
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return true;
  const text = new TextDecoder('latin1').decode(bytes);
  return withoutCredentials(text) !== text;
}
