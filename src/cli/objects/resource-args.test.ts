import { expect, it } from 'vitest';
import { parseResourceArgs } from './resource-args.ts';

it.each([
  [['mcp/worker', 'cm'], '"cm" cannot be combined with "mcp/worker": write each as KIND/NAME'],
  [['mcp', 'cm/a'], '"mcp" cannot be combined with "cm/a": write each as KIND/NAME'],
  [['mcp/'], '"mcp/" is not KIND/NAME'],
  [['/worker'], '"/worker" is not KIND/NAME'],
  [['a/b/c'], '"a/b/c" is not KIND/NAME'],
  [['cm,mcp/a'], '"cm,mcp/a" has several kinds: write each as KIND/NAME'],
  [['cm,'], '"cm," is not a kind or a list of kinds'],
  [[''], '"" is not a kind or a list of kinds'],
  [['cm', ''], 'a name is empty'],
])('parseResourceArgs rejects %j', (args, message) => {
  expect(parseResourceArgs(args)).toEqual({ kind: 'invalid', problems: [{ path: '', message }] });
});

it.each([
  [['mcp'], [{ word: 'mcp', names: undefined }]],
  [['mcp', 'a', 'b'], [{ word: 'mcp', names: ['a', 'b'] }]],
  [
    ['mcp,cm,mcp'],
    [
      { word: 'mcp', names: undefined },
      { word: 'cm', names: undefined },
    ],
  ],
  [
    ['mcp/a', 'cm/b'],
    [
      { word: 'mcp', names: ['a'] },
      { word: 'cm', names: ['b'] },
    ],
  ],
])('parseResourceArgs parses %j', (args, value) => {
  expect(parseResourceArgs(args)).toEqual({ kind: 'ok', value, warnings: [] });
});
