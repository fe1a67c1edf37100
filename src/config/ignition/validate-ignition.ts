/**
 * Validates a config as Ignition does, with its messages.
 */
import { joinPath, type Problem } from '../../base/errors.ts';
import { schemeOf } from '../../base/text/index.ts';
import { configShape, type IgnitionConfig } from './config.ts';
import { fail, type Report, warn } from './report.ts';
import type { Shape } from './shape.ts';
import { validateBlockDevices } from './validate-block-devices.ts';
import { validateNodes } from './validate-nodes.ts';
import { resourceProblems } from './validate-resource.ts';
import { systemdPaths, validateSystemd } from './validate-systemd.ts';

/** Problems of a decoded config, such as a merged one. */
export function ignitionProblems(config: IgnitionConfig): readonly Problem[] {
  const report: Report = { problems: [], warnings: [] };
  validateIgnition(config, report);
  return report.problems;
}

export function validateIgnition(config: IgnitionConfig, report: Report): void {
  validateIgnitionSection(config.ignition, report);
  reportDuplicates(configShape, config, '', report);
  validateNodes(config.storage ?? {}, systemdPaths(config.systemd?.units ?? []), report);
  validateBlockDevices(config.storage ?? {}, report);
  validateSystemd(config.systemd?.units ?? [], report);
}

function validateIgnitionSection(section: IgnitionConfig['ignition'], report: Report): void {
  const references = section.config?.merge ?? [];
  references.forEach((reference, index) => {
    const path = `ignition.config.merge[${index}]`;
    if (!reference.source) fail(report, path, 'source is required');
    resourceProblems(reference, path, report);
  });
  if (section.config?.replace) resourceProblems(section.config.replace, 'ignition.config.replace', report);
  section.security?.tls?.certificateAuthorities?.forEach((authority, index) => {
    const path = `ignition.security.tls.certificateAuthorities[${index}]`;
    if (!authority.source) fail(report, path, 'source is required');
    resourceProblems(authority, path, report);
  });
  validateProxy(section.proxy?.httpProxy, 'ignition.proxy.httpProxy', { mayBePlain: true }, report);
  validateProxy(section.proxy?.httpsProxy, 'ignition.proxy.httpsProxy', { mayBePlain: false }, report);
}

function validateProxy(
  proxy: string | undefined,
  path: string,
  options: { readonly mayBePlain: boolean },
  report: Report,
): void {
  if (proxy === undefined) return;
  const scheme = schemeOf(proxy);
  if (scheme === undefined) fail(report, path, 'unable to parse url');
  else if (scheme !== 'http' && scheme !== 'https') fail(report, path, 'proxies must be http(s)');
  else if (scheme === 'http' && !options.mayBePlain) {
    warn(report, path, 'insecure plaintext HTTP proxy specified for HTTPS resources');
  }
}

/** Keys must be unique within a list, and across lists that share their keys. */
function reportDuplicates(shape: Shape, value: unknown, path: string, report: Report): void {
  if (value === undefined) return;
  if (shape.kind === 'list') {
    const items = value as readonly unknown[];
    if (shape.keyOf !== undefined) reportRepeated([{ shape, items, path }], report);
    items.forEach((item, index) => {
      reportDuplicates(shape.item, item, `${path}[${index}]`, report);
    });
  } else if (shape.kind === 'struct') {
    const fields = value as { readonly [name: string]: unknown };
    for (const [name, field] of Object.entries(shape.fields)) {
      const isShared = shape.sharedKeys.some((names) => names.includes(name));
      // Lists with shared keys are checked with their siblings below; here only their items.
      if (isShared && field.kind === 'list') {
        const items = (fields[name] ?? []) as readonly unknown[];
        items.forEach((item, index) => {
          reportDuplicates(field.item, item, `${joinPath(path, name)}[${index}]`, report);
        });
      } else reportDuplicates(field, fields[name], joinPath(path, name), report);
    }
    for (const names of shape.sharedKeys) {
      reportRepeated(
        names.map((name) => ({
          shape: shape.fields[name],
          items: (fields[name] ?? []) as readonly unknown[],
          path: joinPath(path, name),
        })),
        report,
      );
    }
  }
}

type Keyed = { readonly shape: Shape | undefined; readonly items: readonly unknown[]; readonly path: string };

function reportRepeated(lists: readonly Keyed[], report: Report): void {
  const seen = new Set<string>();
  for (const { shape, items, path } of lists) {
    if (shape?.kind !== 'list' || shape.keyOf === undefined) continue;
    items.forEach((item, index) => {
      const key = shape.keyOf?.(item) ?? '';
      if (seen.has(key)) fail(report, `${path}[${index}]`, 'duplicate entry defined');
      seen.add(key);
    });
  }
}
