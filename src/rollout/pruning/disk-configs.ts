/**
 * The annotation `millwright.dev/disk-configs`: the configs that the disk of a node refers to, written by its daemon.
 *
 *     {"bootID":"8f3c…","configs":["rendered-worker-1"]}
 *
 * Names that other annotations of the Node have are left out, so that it rarely changes. After a report of an earlier boot the
 * disk may refer to others as well: the node may have booted an older one since, as after a restored snapshot.
 */
import { annotations, EMPTY_CONFIG_NAME } from '../../api/index.ts';
import { compareBytes, isObject, parseJson } from '../../base/json.ts';
import { optionalStringsAt, stringAt } from '../../base/json-fields.ts';
import { annotationOf } from '../../kubernetes/meta/index.ts';
import type { Node } from '../../kubernetes/types/index.ts';

/** Far above what a daemon writes; longer ones are not used. */
const MAX_CHARS = 16_384;

type DiskConfigs = {
  readonly bootId: string;
  /** Names; empty ones are ignored. */
  readonly configs: readonly string[];
};

/** The value of the annotation. The same configs have the same value, in whatever order. */
export function formatDiskConfigs(node: Node, { bootId, configs }: DiskConfigs): string {
  const annotated = new Set(annotatedConfigs(node).map(({ name }) => name));
  const others = configs.filter((name) => name !== '' && name !== EMPTY_CONFIG_NAME && !annotated.has(name));
  return JSON.stringify({ bootID: bootId, configs: [...new Set(others)].toSorted(compareBytes) });
}

type DiskReport = {
  readonly configs: readonly string[];
  /** Whether it is about the boot that the kubelet reports. */
  readonly isOfThisBoot: boolean;
};

/** Undefined where the daemon has never reported, or what is there is not a report. */
export function diskReportOf(node: Node): DiskReport | undefined {
  const text = annotationOf(node, annotations.diskConfigs) ?? '';
  const value = text.length > MAX_CHARS ? undefined : parseJson(text);
  const configs = isObject(value) ? optionalStringsAt(value, 'configs') : undefined;
  const bootId = stringAt(value, 'bootID');
  if (configs === undefined || bootId === '') return undefined;
  // Without a kubelet that reports its boot there is nothing to compare with.
  const booted = stringAt(node.status, 'nodeInfo', 'bootID');
  return { configs, isOfThisBoot: booted === '' || booted === bootId };
}

type AnnotatedConfig = { readonly name: string; readonly as: 'current' | 'desired' };

/** The configs that a Node names for itself. */
export function annotatedConfigs(node: Node): readonly AnnotatedConfig[] {
  const named = (as: AnnotatedConfig['as'], key: string) => {
    const name = annotationOf(node, key) ?? '';
    return name === '' ? [] : [{ name, as }];
  };
  return [...named('current', annotations.currentConfig), ...named('desired', annotations.desiredConfig)];
}
