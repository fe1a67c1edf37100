/**
 * Validation of port numbers and names, in containers, probes, services and endpoints.
 */
import type { Problem } from '../../../base/errors.ts';
import type { Json } from '../../../base/json.ts';
import { invalid, invalidText, unsupportedText } from '../field-problems.ts';

const PROTOCOLS: readonly string[] = ['SCTP', 'TCP', 'UDP'];

const MAX_PORT = 65_535;
const MAX_PORT_NAME_CHARS = 15;

export function portProblems(path: string, port: number): readonly Problem[] {
  return port >= 1 && port <= MAX_PORT ? [] : [invalid(path, String(port), rangeText(1, MAX_PORT))];
}

/** A port number, or the name of a container port. */
export function portOrNameProblems(path: string, port: Json | undefined): readonly Problem[] {
  if (typeof port === 'string') return portNameTexts(port).map((text) => invalidText(path, port, text));
  return portProblems(path, typeof port === 'number' ? port : 0);
}

/** Messages about an invalid port name. */
export function portNameTexts(name: string): readonly string[] {
  const texts: string[] = [];
  if (name.length > MAX_PORT_NAME_CHARS) texts.push(`must be no more than ${MAX_PORT_NAME_CHARS} characters`);
  if (!/^[-a-z0-9]+$/.test(name)) {
    texts.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(name)) texts.push('must contain at least one letter (a-z)');
  if (name.includes('--')) texts.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) texts.push('must not begin or end with a hyphen');
  return texts;
}

export function protocolProblems(path: string, protocol: string): readonly Problem[] {
  return PROTOCOLS.includes(protocol) ? [] : [unsupportedText(path, protocol, PROTOCOLS)];
}

export function rangeText(from: number, to: number): string {
  return `must be between ${from} and ${to}, inclusive`;
}
