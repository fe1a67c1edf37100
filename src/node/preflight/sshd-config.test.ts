import { describe, expect, it } from 'vitest';
import { aChange, filesOf, judged } from '../../../test/support/a-preflight.ts';

const judge = (text: string, path = '/etc/ssh/sshd_config.d/50-a.conf') =>
  judged(aChange({}, filesOf({ [path]: text }))).refusals;

describe('the configuration of sshd', () => {
  it('is refused where sshd of the node refuses it', () => {
    const change = aChange({}, filesOf({ '/etc/ssh/sshd_config.d/50-a.conf': 'Nonsense yes\n' }));
    expect(judged(change, { sshdProblem: 'line 1: Bad configuration option: Nonsense' }).refusals).toEqual([
      '/etc/ssh/sshd_config.d/50-a.conf: sshd -t refuses the result: line 1: Bad configuration option: Nonsense, so sshd would not start (correct it)',
    ]);
  });

  it.each([
    '# comment\n\nPort 22\nPermitRootLogin prohibit-password\n',
    'PasswordAuthentication=no # never\n  PubkeyAuthentication  "yes"\n',
    'Match User core\n  X11Forwarding no\n',
    'SomethingNew of a later version\n',
  ])('is accepted: %j', (text) => {
    expect(judge(text)).toEqual([]);
  });

  it.each([
    ['Port\n', 'line 1 gives Port no value'],
    [
      'Port 22\nPasswordAuthentication maybe\n',
      'line 2 gives PasswordAuthentication a value that it cannot have',
    ],
    ['PermitRootLogin = sometimes\n', 'line 1 gives PermitRootLogin a value that it cannot have'],
    ['s3cr3t\n', 'line 1 gives a keyword no value'],
  ])('is refused: %j', (text, why) => {
    expect(judge(text)).toEqual([
      `/etc/ssh/sshd_config.d/50-a.conf: ${why}, so sshd would not start (correct it)`,
    ]);
    expect(judge(text, '/etc/ssh/sshd_config')).toHaveLength(1);
    expect(judge(text, '/etc/ssh/sshd_config.d/50-a.txt')).toEqual([]);
  });
});
