/**
 * What a daemon says of its work, in the lines that people look for. Never contents of files, never secrets.
 */
import { quoted } from '../../base/text/index.ts';

export interface DaemonLog {
  line(text: string): void;
  /** Also in the machine's own journal, quoted in both. */
  system(text: string): void;
  warn(text: string): void;
  error(text: string): void;
}

/** Where lines go; whoever prints them adds time, severity and place. */
type LineSink = (severity: 'I' | 'W' | 'E', text: string) => void;

export function createDaemonLog(sink: LineSink, note: (text: string) => Promise<void>): DaemonLog {
  return {
    line: (text) => sink('I', text),
    warn: (text) => sink('W', text),
    error: (text) => sink('E', text),
    system(text) {
      sink('I', quoted(text));
      // Nobody could act on it: the machine's journal may be gone before its daemon is.
      note(text).catch(() => undefined);
    },
  };
}
