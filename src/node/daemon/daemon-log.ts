/**
 * The daemon's log, with the lines of upstream's daemon. Never contents of files, never secrets.
 */
import { quoted } from '../../base/text/index.ts';

export interface DaemonLog {
  line(text: string): void;
  /** Also in the machine's own journal, quoted in both. */
  system(text: string): void;
  warn(text: string): void;
  error(text: string): void;
}

/** Receives the lines; it adds time and source position. */
type LineSink = (severity: 'I' | 'W' | 'E', text: string) => void;

export function createDaemonLog(sink: LineSink, note: (text: string) => Promise<void>): DaemonLog {
  return {
    line: (text) => sink('I', text),
    warn: (text) => sink('W', text),
    error: (text) => sink('E', text),
    system(text) {
      sink('I', quoted(text));
      // A failure has no consequence: the machine's journal may stop before the daemon does.
      note(text).catch(() => undefined);
    },
  };
}
