/**
 * The key of a certificate request: of a kind and size that is considered safe and that TLS servers use.
 */
import {
  contentOf,
  type DerValue,
  derValues,
  NotDer,
  objectIdentifier,
  partsOf,
  TAG,
  unsignedBytes,
  wholeBits,
} from './der.ts';

const RSA = '1.2.840.113549.1.1.1';
const ELLIPTIC = '1.2.840.10045.2.1';
const ED25519 = '1.3.101.112';

const MIN_RSA_BITS = 2048;
/** The libraries of Kubernetes do not accept larger ones in TLS. */
const MAX_RSA_BITS = 8192;

/** The bytes of a coordinate on each curve. */
const CURVES: { readonly [identifier: string]: number } = {
  '1.2.840.10045.3.1.7': 32,
  '1.3.132.0.34': 48,
  '1.3.132.0.35': 66,
};

export function checkKey(key: DerValue | undefined): void {
  const [algorithm, bits, ...others] = partsOf(key, TAG.sequence, 'the key');
  const [name, parameters] = partsOf(algorithm, TAG.sequence, 'the kind of key');
  const kind = objectIdentifier(name, 'the kind of key');
  const bytes = wholeBits(bits, 'the key');
  if (others.length > 0) throw new NotDer('the key has more than two parts');
  if (kind === RSA) checkRsa(bytes);
  else if (kind === ELLIPTIC) checkPoint(bytes, objectIdentifier(parameters, 'the curve of the key'));
  else if (kind !== ED25519) throw new NotDer(`the kind of key ${kind} is not RSA, ECDSA or Ed25519`);
  else if (bytes.length !== 32) throw new NotDer('the key is not of Ed25519');
}

function checkRsa(bytes: Uint8Array): void {
  const [sequence, ...others] = derValues(bytes);
  const [modulus, exponent] = partsOf(sequence, TAG.sequence, 'the key');
  const digits = unsignedBytes(modulus, 'the modulus of the key');
  const size = digits.length * 8 - Math.clz32(digits[0] ?? 0) + 24;
  if (size < MIN_RSA_BITS || size > MAX_RSA_BITS) {
    throw new NotDer(`the RSA key has ${size} bits; ${MIN_RSA_BITS} to ${MAX_RSA_BITS} are accepted`);
  }
  const power = contentOf(exponent, TAG.integer, 'the exponent of the key');
  // 1 would make every signature valid; an even one is no exponent.
  const isSane =
    power.length <= 4 && (power.at(-1) ?? 0) % 2 === 1 && !(power.length === 1 && power[0] === 1);
  if (!isSane || others.length > 0) throw new NotDer('the exponent of the key is not accepted');
}

function checkPoint(bytes: Uint8Array, curve: string): void {
  const size = CURVES[curve];
  if (size === undefined) throw new NotDer(`the curve ${curve} is not P-256, P-384 or P-521`);
  // Uncompressed, as TLS has it.
  if (bytes[0] !== 0x04 || bytes.length !== 1 + 2 * size)
    throw new NotDer('the key is no point of its curve');
}
