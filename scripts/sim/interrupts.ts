/**
 * Ctrl-C ends the runner with everything that it has started: simulator processes end when their runner does, and `exit` listeners remove its files.
 */
const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;

export function endWithInterrupts(): void {
  for (const [signal, code] of SIGNALS) process.once(signal, () => process.exit(code));
}
