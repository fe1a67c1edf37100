/**
 * The OpenAPI documents and discovery documents that Kubernetes publishes, from the module `k8s.io/kubernetes` that
 * `test/kubernetes` pins.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Unavailable } from '../oracle/oracle.ts';

/** A schema of an OpenAPI document. */
export type PublishedSchema = {
  readonly $ref?: string;
  readonly allOf?: readonly PublishedSchema[];
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly properties?: { readonly [name: string]: PublishedSchema };
  readonly items?: PublishedSchema;
  readonly additionalProperties?: PublishedSchema;
  readonly oneOf?: readonly PublishedSchema[];
  readonly 'x-kubernetes-group-version-kind'?: readonly KindName[];
};

type KindName = { readonly group: string; readonly version: string; readonly kind: string };
type Definitions = { readonly [name: string]: PublishedSchema };

export type PublishedResource = {
  /** `pods` or `pods/log`. */
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** A hash of the storage version, which is internal to the server. */
  readonly storageVersionHash?: string;
};

/** The definition of a kind, by its name in a document, with all that it refers to. */
export type PublishedKind = { readonly name: string; readonly definitions: Definitions };

export type Published = {
  readonly kindOf: (kind: KindName) => Promise<PublishedKind>;
  /** A definition of the core document that is no kind. */
  readonly definition: (name: string) => Promise<PublishedKind>;
  readonly resourcesOf: (group: string) => Promise<readonly PublishedResource[]>;
  /**
   * The values of an enum. The documents omit them, the server does not; they are in the source from which it
   * generates its own documents.
   */
  readonly enumOf: (definition: string, field: string) => readonly string[] | undefined;
  /** The text of a source file. */
  readonly source: (path: string) => Promise<string>;
};

/** With `MILLWRIGHT_REQUIRE_TOOLS=1` an unavailable module is an error: CI must not skip silently. */
export async function findPublished(): Promise<Published | Unavailable> {
  const directory = await moduleDirectory();
  if (typeof directory === 'string') return publishedIn(directory);
  if (process.env.MILLWRIGHT_REQUIRE_TOOLS === '1') {
    throw new Error(`the module of Kubernetes is required but unavailable: ${directory.unavailable}`);
  }
  return directory;
}

const run = promisify(execFile);
const pins = join(dirname(fileURLToPath(import.meta.url)), '../kubernetes');
const DOWNLOAD_TIMEOUT_MS = 10 * 60_000;

async function moduleDirectory(): Promise<string | Unavailable> {
  const format = '{{.Version}} {{.Dir}}';
  try {
    const { stdout } = await run('go', ['list', '-m', '-f', format, 'k8s.io/kubernetes'], { cwd: pins });
    const [version = '', directory = ''] = stdout.trim().split(' ');
    return directory === '' ? await download(version) : directory;
  } catch (error) {
    return { unavailable: error instanceof Error ? error.message : String(error) };
  }
}

/** Outside of the tree: a download there could write into `go.sum`. */
async function download(version: string): Promise<string> {
  const args = ['mod', 'download', '-json', `k8s.io/kubernetes@${version}`];
  const { stdout } = await run('go', args, { cwd: tmpdir(), timeout: DOWNLOAD_TIMEOUT_MS });
  return (JSON.parse(stdout) as { readonly Dir: string }).Dir;
}

async function publishedIn(directory: string): Promise<Published> {
  const source = (path: string) => readFile(join(directory, path), 'utf8');
  const enums = enumsIn(await source('pkg/generated/openapi/zz_generated.openapi.go'));
  const documents = new Map<string, Promise<Definitions>>();
  const definitionsOf = (group: string): Promise<Definitions> => {
    const known =
      documents.get(group) ?? source(`api/openapi-spec/v3/${fileOf(group)}_openapi.json`).then(schemasIn);
    documents.set(group, known);
    return known;
  };
  return {
    source,
    enumOf: (definition, field) => enums.get(`${sourceName(definition)}.${field}`),
    async kindOf(kind) {
      // Kinds of subresources are in the document of their paths, mostly the core group.
      for (const group of [kind.group, '']) {
        const definitions = await definitionsOf(group);
        const name = Object.keys(definitions).find((one) => isOf(definitions[one], kind));
        if (name !== undefined) return { name, definitions };
      }
      throw new Error(`no document describes ${kind.group}/${kind.version} ${kind.kind}`);
    },
    definition: async (name) => ({ name, definitions: await definitionsOf('') }),
    async resourcesOf(group) {
      const list = JSON.parse(await source(`api/discovery/${fileOf(group)}.json`)) as {
        readonly resources: readonly PublishedResource[];
      };
      return list.resources;
    },
  };
}

function fileOf(group: string): string {
  return group === '' ? 'api__v1' : `apis__${group}__v1`;
}

function schemasIn(text: string): Definitions {
  const document = JSON.parse(text) as { readonly components: { readonly schemas: Definitions } };
  return document.components.schemas;
}

function isOf(schema: PublishedSchema | undefined, { group, version, kind }: KindName): boolean {
  const names = schema?.['x-kubernetes-group-version-kind'] ?? [];
  return names.some((one) => one.group === group && one.version === version && one.kind === kind);
}

/** `io.k8s.api.core.v1.Pod` → `k8sio_api_core_v1_Pod`, the name of the function in the source. */
function sourceName(definition: string): string {
  return definition
    .replace(/^io\.k8s\.api\./, 'k8sio_api_')
    .replace(/^io\.k8s\.\S+\.(pkg\.apis\.)/, '$1')
    .replaceAll('.', '_');
}

/** Each function of the source describes one definition, field by field. */
function enumsIn(text: string): ReadonlyMap<string, readonly string[]> {
  const enums = new Map<string, readonly string[]>();
  let definition = '';
  let field = '';
  for (const line of text.split('\n')) {
    definition = /^func schema_(\w+)\(/.exec(line)?.[1] ?? definition;
    field = /^\t{5}"([^"]+)": \{/.exec(line)?.[1] ?? field;
    const values = /Enum: +\[\]interface\{\}\{(.*)\}/.exec(line)?.[1];
    if (values !== undefined)
      enums.set(`${definition}.${field}`, JSON.parse(`[${values}]`) as readonly string[]);
  }
  return enums;
}
