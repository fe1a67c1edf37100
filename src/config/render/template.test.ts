import { describe, expect, it } from 'vitest';
import { formatProblem, type Outcome } from '../../base/errors.ts';
import { fillTemplate, fillText, parseTemplate } from './template.ts';
import type { TemplateEntry } from './template-tree.ts';

const entry = (kind: 'files' | 'units', text: string): TemplateEntry => ({
  path: 'p.yaml',
  text,
  kind,
  name: 'p.yaml',
  variant: '_base',
});
const textsOf = (outcome: Outcome<unknown>) =>
  outcome.kind === 'ok' ? [] : outcome.problems.map(formatProblem);

describe('readTemplate', () => {
  const empty = "contents: {inline: ''}";
  it.each([
    ['a file without a mode', 'files', `path: /a\n${empty}`, 'mode: must be a file mode such as 0644'],
    [
      'a mode beyond 07777',
      'files',
      `path: /a\nmode: 9999\n${empty}`,
      'mode: must be a file mode such as 0644',
    ],
    ['a quoted mode', 'files', `path: /a\nmode: '0644'\n${empty}`, 'mode: must be a file mode such as 0644'],
    ['a relative path', 'files', `path: a\nmode: 0644\n${empty}`, 'path: must be absolute'],
    ['an unknown key', 'files', `path: /a\nmode: 0644\n${empty}\nuser: {}`, 'unknown key "user"'],
    ['a key __proto__', 'files', `path: /a\nmode: 0644\n${empty}\n__proto__: {}`, 'unknown key "__proto__"'],
    [
      'contents elsewhere',
      'files',
      'path: /a\nmode: 0644\ncontents: {local: a, inline: b}',
      'unknown key "local"',
    ],
    ['no contents', 'files', 'path: /a\nmode: 0644', 'inline: must be a string'],
    ['a unit without a name', 'units', 'contents: a', 'name: must be a string'],
    ['a condition that is no text', 'units', 'name: a.service\nwhen: true', 'when: must be a string'],
    [
      'a drop-in without a name',
      'units',
      'name: a.service\ndropins: [{contents: b}]',
      'name: must be a string',
    ],
    ['drop-ins that are no list', 'units', 'name: a.service\ndropins: b', 'dropins: must be a list'],
    ['a word for a flag', 'units', 'name: a.service\nenabled: please', 'enabled: must be true or false'],
    ['a list', 'units', '- a', 'must be one YAML mapping'],
    ['two documents', 'units', 'name: a.service\n---\nname: b.service', 'must be one YAML mapping'],
    ['nothing but a comment', 'units', '# later', 'must be one YAML mapping'],
  ] as const)('rejects %s', (_, kind, text, message) => {
    expect(textsOf(parseTemplate(entry(kind, text)))).toEqual([`p.yaml: ${message}`]);
  });

  it('reports the position of a YAML error', () => {
    expect(textsOf(parseTemplate(entry('units', 'name: [')))).toEqual([expect.stringMatching(/^p\.yaml: ./)]);
  });

  it('reads an octal mode', () => {
    expect(
      parseTemplate(entry('files', 'path: /a\nmode: 0755\ncontents:\n  inline: |\n    b\n')),
    ).toMatchObject({
      value: { body: { kind: 'file', path: '/a', mode: 0o755, inline: 'b\n' } },
    });
  });
});

describe('fillText', () => {
  it.each([
    ['x {{nothing}} {{nothing}}', ['there is no value named "nothing"']],
    ['{{constructor}}', ['there is no value named "constructor"']],
    ['{{name', ['{{ begins no {{name}}']],
    ['{{ name }}', ['{{ begins no {{name}}']],
    ['{{if .Name}}', ['{{ begins no {{name}}']],
    ['{{{{name}}', ['{{ begins no {{name}}']],
  ])('rejects %j', (text, problems) => {
    expect(textsOf(fillText(text, { name: 'x' }))).toEqual(problems);
  });

  it.each([
    ['a {{name}}{{name}} b', 'N', 'a NN b'],
    ['a {{name}} b', '', 'a  b'],
    ['a\n  {{name}}\nb\n', 'N\nM', 'a\n  N\nM\nb\n'],
    ['a\n  {{name}} \nb\n', '', 'a\nb\n'],
    ['{{name}}\n', '', ''],
    ['a\n{{name}}', '', 'a\n'],
    ['{{name}}', "{{other}} $& $1 $'", "{{other}} $& $1 $'"],
    ['{"a": {"b": {}}}', '', '{"a": {"b": {}}}'],
  ])('fills %j with %j', (text, name, expected) => {
    expect(fillText(text, { name })).toMatchObject({ value: expected });
  });
});

describe('filling a template', () => {
  const fill = (kind: 'files' | 'units', text: string, name: string) => {
    const template = parseTemplate(entry(kind, text));
    return template.kind === 'ok' ? fillTemplate(template.value, { name }, 'p.yaml') : template;
  };
  const unit = (rest: string) => `name: a.service\n${rest}\n`;

  it('reports unknown values everywhere', () => {
    const text = unit("contents: '{{a}}'\ndropins: [{name: b.conf, contents: '{{b}}'}]");
    expect(textsOf(fill('units', text, ''))).toEqual([
      'p.yaml: there is no value named "a"',
      'p.yaml: there is no value named "b"',
    ]);
    expect(textsOf(fill('units', unit('when: rain'), ''))).toEqual([
      'p.yaml: there is no value named "rain"',
    ]);
  });

  it('omits the template while its condition is empty', () => {
    expect(fill('units', unit('when: name'), '')).toMatchObject({ kind: 'ok', value: undefined });
    expect(fill('units', unit('when: name'), 'x')).toMatchObject({ value: { systemd: { units: [{}] } } });
  });

  it('returns a file with overwrite and escaped contents', () => {
    expect(fill('files', 'path: /a\nmode: 0600\ncontents: {inline: "{{name}}"}', 'ä /')).toMatchObject({
      value: {
        ignition: { version: '3.5.0' },
        storage: {
          files: [{ path: '/a', mode: 0o600, overwrite: true, contents: { source: 'data:,%C3%A4%20%2F' } }],
        },
      },
    });
  });

  it('returns a unit with only the given fields', () => {
    const given = fill('units', unit('mask: false\ndropins: [{name: b.conf, contents: "{{name}}"}]'), 'x');
    expect(given.kind === 'ok' && given.value?.systemd?.units).toEqual([
      { name: 'a.service', mask: false, dropins: [{ name: 'b.conf', contents: 'x' }] },
    ]);
  });
});
