/**
 * Mistakes on the machine: what its disk holds, and what its daemon claims.
 */
import type { Mutant } from './mutant.ts';

export const machineMutants: readonly Mutant[] = [
  {
    name: 'claims-the-config-before-the-reboot',
    why: 'currentConfig advances when the reboot is announced: a machine that comes up with the old OS claims the new one.',
    ask: 12,
    seed: 2,
    patches: [
      {
        file: 'src/node/report/apply-step-event.ts',
        from: "draft.annotate(annotations.postConfigAction, 'Rebooting');",
        to: "draft.annotate(annotations.postConfigAction, 'Rebooting');\n    draft.annotate(annotations.currentConfig, into);",
      },
    ],
  },
  {
    name: 'does-not-compare-boots',
    why: 'The machine has booted, and the daemon still thinks that it has to: it reboots for ever.',
    ask: 13,
    seed: 2,
    patches: [
      {
        file: 'src/node/daemon/decide.ts',
        from: '  if (journal.bootId !== snapshot.bootId) return booted(snapshot, journal);\n',
        to: '',
      },
    ],
  },
  {
    name: 'does-not-sync-files',
    why: 'Files are renamed into place before their content is on the disk: a power cut leaves empty ones.',
    ask: 12,
    seed: 4,
    patches: [
      {
        file: 'src/node/host/write-files.ts',
        from: '    await doing(`sync ${shownPath}`, () => disk.syncFile(path));\n',
        to: '',
      },
    ],
  },
];
