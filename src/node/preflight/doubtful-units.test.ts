import { describe, expect, it } from 'vitest';
import type { NodeConfigParts } from '../../../test/support/a-node-config.ts';
import { type AMachine, aChange, aFile, judged } from '../../../test/support/a-preflight.ts';

const service = (command: string, more: object = {}): NodeConfigParts => ({
  systemd: {
    units: [{ name: 'a.service', enabled: true, contents: `[Service]\nExecStart=${command}\n`, ...more }],
  },
});
const dropin: NodeConfigParts = {
  systemd: { units: [{ name: 'b.service', dropins: [{ name: 'c.conf', contents: '[Service]\nNice=1\n' }] }] },
};
const judge = (to: NodeConfigParts, machine: AMachine = {}) => judged(aChange({}, to), machine);

describe('a doubtful unit', () => {
  it('is enabled without its program', () => {
    const paths = ['/usr/bin', '/usr/bin/there'];
    expect(judge(service('-/usr/bin/gone --flag'), { paths })).toEqual({
      refusals: [],
      warnings: ['a.service: its program /usr/bin/gone does not exist on the node'],
    });
    expect(judge(service('/usr/bin/there'), { paths }).warnings).toEqual([]);
    expect(judge(service('/usr/bin/gone', { enabled: false }), { paths }).warnings).toEqual([]);
    expect(judge(service('/opt/none/gone'), { paths }).warnings).toEqual([]);
    expect(judge(service('/usr/bin/gone'), { paths, nextOs: 'unknown' }).warnings).toEqual([]);
    const brought = {
      ...service('/usr/bin/gone'),
      storage: { files: [{ ...aFile('/usr/bin/gone', '#!/bin/sh\n'), mode: 0o755 }] },
    };
    expect(judge(brought, { paths }).warnings).toEqual([]);
  });

  it('has drop-ins and does not exist', () => {
    expect(judge(dropin)).toEqual({
      refusals: [],
      warnings: ['b.service: the config has drop-ins for it, and the node has no such unit'],
    });
    expect(judge(dropin, { units: ['b.service'] }).warnings).toEqual([]);
    expect(judge(dropin, { nextOs: 'unknown' }).warnings).toEqual([]);
  });
});
