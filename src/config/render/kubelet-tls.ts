/**
 * A TLS security profile as kubelet settings.
 *
 * Profiles name ciphers as OpenSSL does; the kubelet requires IANA names and starts only if it knows each of them. It
 * is written in Go: TLS 1.3 ciphers cannot be configured and are never listed, and some older ciphers do not exist
 * and are left out.
 */
import { invalid, type Outcome, ok, type Problem } from '../../base/errors.ts';

/** As in `spec.tlsSecurityProfile` of APIServer and KubeletConfig. */
export type TlsProfile = {
  readonly type?: string;
  readonly custom?: {
    readonly ciphers?: readonly string[];
    readonly minTLSVersion?: string;
  } | null;
};

export type KubeletTls = {
  readonly minVersion: string;
  /** IANA names; empty for the kubelet's defaults, the only possibility with TLS 1.3 alone. */
  readonly cipherSuites: readonly string[];
};

/** Absent, unknown and empty profiles count as Intermediate. */
export function kubeletTls(profile: TlsProfile | undefined): Outcome<KubeletTls> {
  switch (profile?.type) {
    case 'Old':
      return ok({ minVersion: 'VersionTLS10', cipherSuites: [...MIDDLE_AGED.values(), ...AGED.values()] });
    case 'Modern':
      return ok({ minVersion: 'VersionTLS13', cipherSuites: [] });
    case 'Custom':
      return customTls(profile.custom ?? {});
    default:
      return ok(INTERMEDIATE);
  }
}

function customTls(custom: NonNullable<TlsProfile['custom']>): Outcome<KubeletTls> {
  const { minTLSVersion: given } = custom;
  const minVersion = given === undefined || given === '' ? INTERMEDIATE.minVersion : given;
  if (!VERSIONS.has(minVersion)) {
    const message = `Unsupported value: ${JSON.stringify(minVersion)}: supported values: ${[...VERSIONS].join(', ')}`;
    return invalid([{ path: 'custom.minTLSVersion', message, reason: 'FieldValueNotSupported' }]);
  }
  const ciphers = custom.ciphers ?? [];
  // APIServer objects are not validated by us before.
  if (!Array.isArray(ciphers)) return invalid([{ path: 'custom.ciphers', message: 'must be a list' }]);
  if (given === undefined && ciphers.length === 0) return ok(INTERMEDIATE);
  if (minVersion === 'VersionTLS13' || ciphers.length === 0) return ok({ minVersion, cipherSuites: [] });
  return chosenCiphers(ciphers, minVersion);
}

function chosenCiphers(ciphers: readonly string[], minVersion: string): Outcome<KubeletTls> {
  const suites = new Set<string>();
  const warnings: Problem[] = [];
  for (const [index, cipher] of ciphers.entries()) {
    const suite = ianaName(cipher);
    if (suite !== undefined) suites.add(suite);
    else if (!TLS13_ONLY.has(cipher)) {
      const message = `the kubelet does not know ${JSON.stringify(cipher)}; it is ignored`;
      warnings.push({ path: `custom.ciphers[${index}]`, message });
    }
  }
  const path = 'custom.ciphers';
  if (suites.size > 0 && !HTTP2_NEEDS_ONE_OF.some((suite) => suites.has(suite))) {
    const names = 'ECDHE-RSA-AES128-GCM-SHA256 or ECDHE-ECDSA-AES128-GCM-SHA256';
    return invalid([{ path, message: `must hold ${names}, without which the kubelet does not serve` }]);
  }
  if (suites.size > 0) return ok({ minVersion, cipherSuites: [...suites] }, warnings);
  if (!ciphers.some((cipher) => TLS13_ONLY.has(cipher))) {
    return invalid([{ path, message: 'holds no cipher that the kubelet knows' }]);
  }
  // Without a list Go would allow its defaults for TLS 1.2: more than was configured.
  const message = 'all are ciphers of TLS 1.3, so the kubelet will accept no older version';
  return ok({ minVersion: 'VersionTLS13', cipherSuites: [] }, [...warnings, { path, message }]);
}

function ianaName(cipher: string): string | undefined {
  const suite = MIDDLE_AGED.get(cipher) ?? AGED.get(cipher);
  if (suite !== undefined) return suite;
  return KNOWN_SUITES.has(cipher) ? cipher : undefined;
}

const VERSIONS: ReadonlySet<string> = new Set([
  'VersionTLS10',
  'VersionTLS11',
  'VersionTLS12',
  'VersionTLS13',
]);

const TLS13_ONLY: ReadonlySet<string> = new Set([
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
]);

/** The ciphers of the profile Intermediate before TLS 1.3. */
const MIDDLE_AGED: ReadonlyMap<string, string> = new Map([
  ['ECDHE-ECDSA-AES128-GCM-SHA256', 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256'],
  ['ECDHE-RSA-AES128-GCM-SHA256', 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'],
  ['ECDHE-ECDSA-AES256-GCM-SHA384', 'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384'],
  ['ECDHE-RSA-AES256-GCM-SHA384', 'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384'],
  ['ECDHE-ECDSA-CHACHA20-POLY1305', 'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256'],
  ['ECDHE-RSA-CHACHA20-POLY1305', 'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256'],
]);

/**
 * The additional ciphers of the profile Old. Go has no ECDHE-ECDSA-AES256-SHA384, ECDHE-RSA-AES256-SHA384 and
 * AES256-SHA256.
 */
const AGED: ReadonlyMap<string, string> = new Map([
  ['ECDHE-ECDSA-AES128-SHA256', 'TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256'],
  ['ECDHE-RSA-AES128-SHA256', 'TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256'],
  ['ECDHE-ECDSA-AES128-SHA', 'TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA'],
  ['ECDHE-RSA-AES128-SHA', 'TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA'],
  ['ECDHE-ECDSA-AES256-SHA', 'TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA'],
  ['ECDHE-RSA-AES256-SHA', 'TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA'],
  ['AES128-GCM-SHA256', 'TLS_RSA_WITH_AES_128_GCM_SHA256'],
  ['AES256-GCM-SHA384', 'TLS_RSA_WITH_AES_256_GCM_SHA384'],
  ['AES128-SHA256', 'TLS_RSA_WITH_AES_128_CBC_SHA256'],
  ['AES128-SHA', 'TLS_RSA_WITH_AES_128_CBC_SHA'],
  ['AES256-SHA', 'TLS_RSA_WITH_AES_256_CBC_SHA'],
  ['DES-CBC3-SHA', 'TLS_RSA_WITH_3DES_EDE_CBC_SHA'],
]);

const KNOWN_SUITES: ReadonlySet<string> = new Set([...MIDDLE_AGED.values(), ...AGED.values()]);

/** Go's HTTP/2 server refuses to start with a list that holds neither. */
const HTTP2_NEEDS_ONE_OF = [
  'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
];

const INTERMEDIATE: KubeletTls = { minVersion: 'VersionTLS12', cipherSuites: [...MIDDLE_AGED.values()] };
