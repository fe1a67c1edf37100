/** The release of Millwright, as written into generated objects. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../base/json.ts';
import type { TemplateTree } from '../config/render/index.ts';
import type { Release } from '../controllers/index.ts';

/** Includes the templates: builds that generate different base configs are different releases. */
export function releaseOf(version: string, templates: TemplateTree): Release {
  const content = canonicalJson({ version, templates: Object.fromEntries(templates) });
  return {
    version: `millwright ${version}`,
    controllerVersion: createHash('sha1').update(content).digest('hex'),
    releaseVersion: version,
  };
}
