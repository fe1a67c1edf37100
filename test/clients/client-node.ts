/** As much of `@kubernetes/client-node` as the tests use, with types of our own: the package is not a dependency. */
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { Unavailable } from '../oracle/oracle.ts';
import { foreignPackages } from './foreign-packages.ts';

/** 2.x asks for an undici that does not run on Node 20; with the one before, which `npm/package.json` pins, it does. */
export const CLIENT_NODES = ['client-node-1', 'client-node-2'] as const;

export async function loadClientNode(name: (typeof CLIENT_NODES)[number]): Promise<ClientNode | Unavailable> {
  const packages = await foreignPackages();
  if (typeof packages !== 'string') return packages;
  // The one place where the package gets its type.
  return (await import(pathToFileURL(join(packages, name, 'dist/index.js')).href)) as ClientNode;
}

export type Metadata = {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly managedFields?: readonly { readonly manager?: string; readonly operation?: string }[];
};
export type KubeObject = {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: Metadata;
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: unknown;
  readonly status?: unknown;
};
export type KubeList = {
  readonly metadata?: Metadata & { readonly _continue?: string };
  readonly items: readonly KubeObject[];
};

/** Thrown for every answer that is no success. */
export type ApiException = { readonly code: number; readonly body: string };

type Place = { readonly namespace: string };
type Named = Place & { readonly name: string };

export type CoreApi = {
  readonly createNamespace: (request: { readonly body: KubeObject }) => Promise<KubeObject>;
  readonly createNode: (request: { readonly body: KubeObject }) => Promise<KubeObject>;
  readonly createNamespacedPod: (request: Place & { readonly body: KubeObject }) => Promise<KubeObject>;
  readonly createNamespacedConfigMap: (request: Place & { readonly body: KubeObject }) => Promise<KubeObject>;
  readonly readNamespacedConfigMap: (request: Named) => Promise<KubeObject>;
  readonly replaceNamespacedConfigMap: (
    request: Named & { readonly body: KubeObject },
  ) => Promise<KubeObject>;
  readonly patchNamespacedConfigMap: (
    request: Named & { readonly body: unknown; readonly fieldManager?: string; readonly force?: boolean },
    options: unknown,
  ) => Promise<KubeObject>;
  readonly listNamespacedConfigMap: (
    request: Place & {
      readonly limit?: number;
      readonly _continue?: string;
      readonly labelSelector?: string;
    },
  ) => Promise<KubeList>;
  readonly deleteNamespacedConfigMap: (request: Named) => Promise<unknown>;
  readonly deleteCollectionNamespacedConfigMap: (request: Place) => Promise<unknown>;
  readonly readNamespacedPodLog: (request: Named & { readonly tailLines?: number }) => Promise<string>;
};

type CustomPlace = { readonly group: string; readonly version: string; readonly plural: string };
export type CustomApi = {
  readonly listClusterCustomObject: (request: CustomPlace) => Promise<KubeList>;
  readonly getClusterCustomObject: (request: CustomPlace & { readonly name: string }) => Promise<KubeObject>;
};

/** For objects of any kind: it asks the server where they live. */
export type ObjectApi = {
  readonly create: (object: KubeObject) => Promise<KubeObject>;
  readonly read: (object: KubeObject) => Promise<KubeObject>;
  readonly patch: (
    object: KubeObject,
    pretty: undefined,
    dryRun: undefined,
    fieldManager: string,
    force: boolean,
    strategy: string,
  ) => Promise<KubeObject>;
  readonly delete: (object: KubeObject) => Promise<unknown>;
};

export type Informer = {
  readonly on: (verb: string, call: (object: KubeObject) => void) => void;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly list: (namespace?: string) => readonly KubeObject[];
};

type KubeConfig = {
  readonly loadFromFile: (path: string) => void;
  readonly makeApiClient: <T>(api: new (...args: never[]) => T) => T;
};

export type ClientNode = {
  readonly KubeConfig: new () => KubeConfig;
  readonly CoreV1Api: new () => CoreApi;
  readonly CustomObjectsApi: new () => CustomApi;
  readonly KubernetesObjectApi: { readonly makeApiClient: (config: KubeConfig) => ObjectApi };
  readonly Log: new (
    config: KubeConfig,
  ) => {
    readonly log: (
      namespace: string,
      pod: string,
      container: string,
      stream: Writable,
      options: { readonly follow: boolean },
    ) => Promise<AbortController>;
  };
  readonly Exec: new (
    config: KubeConfig,
  ) => {
    readonly exec: (
      namespace: string,
      pod: string,
      container: string,
      command: readonly string[],
      stdout: Writable,
      stderr: Writable,
      stdin: null,
      tty: boolean,
    ) => Promise<unknown>;
  };
  readonly makeInformer: (config: KubeConfig, path: string, list: () => Promise<KubeList>) => Informer;
  readonly setHeaderOptions: (name: string, value: string) => unknown;
  readonly PatchStrategy: Readonly<
    Record<'JsonPatch' | 'MergePatch' | 'StrategicMergePatch' | 'ServerSideApply', string>
  >;
};
