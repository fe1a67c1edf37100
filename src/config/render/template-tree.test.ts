import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../base/errors.ts';
import { parseIgnition } from '../ignition/index.ts';
import { baseConfigs } from './base-configs.ts';
import { configNames, listTemplates, type TemplateTree, templatesOf } from './template-tree.ts';

const FORM = 'is not of the form <role>/<MachineConfig>/<variant>/{files,units}/<template>.yaml';
const treeOf = (...paths: readonly string[]): TemplateTree => new Map(paths.map((path) => [path, 'text']));
const entriesOf = (tree: TemplateTree) => {
  const listed = listTemplates(tree);
  return listed.kind === 'ok' ? listed.value : [];
};

describe('paths of templates', () => {
  it.each([
    ['README.md', FORM],
    ['', FORM],
    ['common/00-worker/_base/files/a.yaml', FORM],
    ['worker/00-worker/_base/files/b/a.yaml', FORM],
    ['worker//_base/files/a.yaml', FORM],
    [
      'worker/00-worker/_bsae/files/a.yaml',
      'there is no variant "_bsae": it is _base, sno or a platform in lower case',
    ],
    [
      'worker/00-worker/AWS/files/a.yaml',
      'there is no variant "AWS": it is _base, sno or a platform in lower case',
    ],
    ['worker/00-worker/_base/extensions/a.yaml', 'there are files and units, but no "extensions"'],
    ['worker/00-worker/_base/files/a.yml', 'the name of a template ends in .yaml'],
  ])('must not be %j', (path, message) => {
    const listed = listTemplates(treeOf(path));
    expect(listed.kind === 'invalid' && listed.problems.map(formatProblem)).toEqual([
      path === '' ? message : `${path}: ${message}`,
    ]);
  });

  it('determine role, MachineConfig and variant', () => {
    expect(entriesOf(treeOf('worker/01-x/aws/units/a.yaml', 'common/sno/files/b.yaml'))).toEqual([
      { path: 'common/sno/files/b.yaml', text: 'text', kind: 'files', name: 'b.yaml', variant: 'sno' },
      {
        path: 'worker/01-x/aws/units/a.yaml',
        text: 'text',
        kind: 'units',
        name: 'a.yaml',
        variant: 'aws',
        role: 'worker',
        configName: '01-x',
      },
    ]);
  });
});

describe('MachineConfigs', () => {
  const entries = entriesOf(treeOf('common/_base/files/a.yaml', 'worker/01-x/_base/files/a.yaml'));

  it('are those of the role, and the one of the common templates', () => {
    expect(configNames(entries, 'worker')).toEqual(['00-worker', '01-x']);
  });

  it('do not come from common templates alone', () => {
    expect(configNames(entries, 'master')).toEqual([]);
    expect(configNames(entries, 'common')).toEqual([]);
  });
});

describe('the order of templates', () => {
  const entries = entriesOf(
    treeOf(
      'worker/00-worker/sno/files/a.yaml',
      'worker/00-worker/aws/files/a.yaml',
      'worker/00-worker/_base/files/b.yaml',
      'worker/00-worker/_base/files/a.yaml',
      'worker/01-x/_base/files/a.yaml',
      'master/00-master/_base/files/a.yaml',
      'common/sno/files/a.yaml',
      'common/_base/files/a.yaml',
    ),
  );
  const pathsOf = (name: string, ...variants: readonly string[]) =>
    templatesOf(entries, { role: 'worker', name, variants }).map(({ path }) => path);

  it('is common templates, then those of the role, each by variant', () => {
    expect(pathsOf('00-worker', '_base', 'aws', 'sno')).toEqual([
      'common/_base/files/a.yaml',
      'common/sno/files/a.yaml',
      'worker/00-worker/_base/files/a.yaml',
      'worker/00-worker/_base/files/b.yaml',
      'worker/00-worker/aws/files/a.yaml',
      'worker/00-worker/sno/files/a.yaml',
    ]);
  });

  it('has common templates only in the first MachineConfig, and no other variants', () => {
    expect(pathsOf('01-x', '_base', 'none')).toEqual(['worker/01-x/_base/files/a.yaml']);
  });
});

describe('overriding templates', () => {
  const unit = (name: string, contents: string) => `name: ${name}\ncontents: '[${contents}]'\n`;
  const dropin = (name: string, file: string) =>
    `name: ${name}\ndropins: [{name: ${file}, contents: '[x]'}]\n`;
  const tree: TemplateTree = new Map([
    ['common/_base/units/a.yaml', unit('a.service', 'common')],
    ['common/_base/units/b.yaml', unit('b.service', 'common')],
    ['common/aws/units/b.yaml', unit('b.service', 'aws')],
    ['worker/00-worker/_base/units/a.yaml', unit('a.service', 'worker')],
    ['worker/00-worker/_base/units/c.yaml', unit('c.service', 'base')],
    ['worker/00-worker/aws/units/c.yaml', ''],
    ['worker/00-worker/sno/units/c.yaml', unit('c.service', 'sno')],
    ['worker/00-worker/sno/units/b.yaml', `when: pullSecret\n${unit('b.service', 'sno')}`],
    ['worker/00-worker/sno/units/a.yaml', '\n'],
    ['worker/01-worker-kubelet/_base/units/z.yaml', dropin('k.service', '20.conf')],
    ['worker/01-worker-kubelet/_base/units/y.yaml', dropin('k.service', '10.conf')],
    ['worker/01-worker-kubelet/_base/units/x.yaml', unit('k.service', 'main')],
  ]);
  const unitsOf = (configName: string, platform: string, controlPlaneTopology: string) => {
    const outcome = baseConfigs(tree, {
      controllerVersion: 'v1',
      roles: ['worker'],
      controllerConfig: { platform, infra: { status: { controlPlaneTopology } } },
    });
    const found = outcome.kind === 'ok' && outcome.value.find(({ metadata }) => metadata.name === configName);
    const config = found && parseIgnition(found.spec?.config);
    return (config && config.kind === 'ok' && config.value.systemd?.units) || [];
  };
  const contentsOn = (platform: string, topology: string) =>
    unitsOf('00-worker', platform, topology).map(({ name, contents }) => `${name} ${contents}`);

  it('lets a role override common templates by name', () => {
    expect(contentsOn('', '')).toEqual(['a.service [worker]', 'b.service [common]', 'c.service [base]']);
  });

  it('applies the platform after the base, and removes by an empty template', () => {
    expect(contentsOn('AWS', 'HighlyAvailable')).toEqual(['a.service [worker]', 'b.service [aws]']);
  });

  it('applies the single-node variant last, and ignores templates whose condition is unmet or that are blank', () => {
    expect(contentsOn('AWS', 'SingleReplica')).toEqual([
      'a.service [worker]',
      'b.service [aws]',
      'c.service [sno]',
    ]);
    expect(contentsOn('', 'SingleReplica')).toEqual([
      'a.service [worker]',
      'b.service [common]',
      'c.service [sno]',
    ]);
  });

  it('keeps common templates out of the other MachineConfigs, and combines the templates of a unit', () => {
    expect(unitsOf('01-worker-kubelet', '', '')).toEqual([
      {
        name: 'k.service',
        contents: '[main]',
        dropins: [
          { name: '10.conf', contents: '[x]' },
          { name: '20.conf', contents: '[x]' },
        ],
      },
    ]);
  });
});
