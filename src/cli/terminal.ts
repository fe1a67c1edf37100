/** What the terminal can do. */
import type { Ports } from './ports.ts';

export const PIPE_WIDTH = 80;

export function widthOf({ terminal }: Ports): number {
  return terminal?.columns || PIPE_WIDTH;
}

/** Whether the cursor can be moved. */
export function isCapable({ terminal, environment }: Ports): boolean {
  return terminal !== undefined && environment.TERM !== 'dumb';
}

/** See https://no-color.org: set and not empty. */
export function hasColors(ports: Ports): boolean {
  return isCapable(ports) && (ports.environment.NO_COLOR ?? '') === '';
}
