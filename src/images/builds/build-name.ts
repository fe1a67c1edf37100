/**
 * The name of a build: the MachineOSConfig and a digest of everything that upstream's builder looks at, so that the
 * same inputs always have the same name.
 *
 * A second digest, of less, says which builds have the same image: a rendered config that only differs in files, units or
 * users is applied by the daemon and needs no new one.
 */
import { md5 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import {
  annotations,
  type MachineConfig,
  type MachineConfigPool,
  type MachineOSConfig,
} from '../../api/index.ts';
import { canonicalJson, isObject, type Json, type JsonObject } from '../../base/json.ts';
import { stringAt, stringsAt } from '../../base/json-fields.ts';
import { goYamlText } from '../../base/yaml/index.ts';
import { annotationOf, nameOf } from '../../kubernetes/meta/index.ts';

export type BuildInputs = {
  readonly config: MachineOSConfig;
  readonly pool: MachineConfigPool;
  /** The MachineConfig that `pool.spec.configuration` names. */
  readonly rendered: MachineConfig;
};

/** Upstream's, which rendered configs are salted with too. */
const SALT = hexToBytes(
  '107ccee48b38afaf4fe586769d9ad36e195d2ffdac6a2507ae0da0b96e115734db830cceda8d7487bcb5c097e93e7ea54053b3770fa8d0c5926b3ae385bcee1a211aebca20ad1fea2990944f06ce1716',
);

/** MD5 is only used as a name; nothing depends on its strength. */
export function buildName({ config, pool, rendered }: BuildInputs): string {
  const texts = [
    goYamlText(withoutEmptyFields(jsonOf(pool.spec?.configuration))),
    goYamlText({ containerFile: null, ...jsonOf(config.spec) }),
    goYamlText({
      BaseOSContainerImage: stringAt(rendered.spec, 'osImageURL'),
      BaseOSExtensionsContainerImage: stringAt(rendered.spec, 'baseOSExtensionsContainerImage'),
      OSImageURL: '',
      ReleaseVersion: annotationOf(rendered, annotations.releaseImageVersion) ?? '',
    }),
  ];
  return `${nameOf(config)}-${bytesToHex(md5(concatBytes(SALT, ...texts.map(utf8ToBytes))))}`;
}

/** Builds with the same digest have the same image. */
export function imageInputsDigest({ config, rendered }: Omit<BuildInputs, 'pool'>): string {
  const { spec } = rendered;
  const extensions = [...stringsAt(spec, 'extensions')].sort();
  const kernelType = stringAt(spec, 'kernelType') || 'default';
  // The extensions image is only opened for packages.
  const usesExtensions = extensions.length > 0 || kernelType !== 'default';
  const inputs = {
    spec: jsonOf(config.spec),
    osImageURL: stringAt(spec, 'osImageURL'),
    kernelType,
    extensions,
    kernelArguments: stringsAt(spec, 'kernelArguments'),
    ...(usesExtensions ? { extensionsImage: stringAt(spec, 'baseOSExtensionsContainerImage') } : {}),
  };
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(inputs)))).slice(0, 32);
}

function jsonOf(value: unknown): JsonObject {
  return isObject(value) ? (value as JsonObject) : {};
}

/** As Go's `omitempty`. */
function withoutEmptyFields(object: JsonObject): JsonObject {
  const isEmpty = (value: Json) =>
    value === '' || value === null || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(
    Object.entries(object)
      .filter(([, value]) => !isEmpty(value))
      .map(([key, value]) => [key, key === 'source' ? sourcesOf(value) : value]),
  );
}

function sourcesOf(value: Json): Json {
  return Array.isArray(value) ? value.map((item) => withoutEmptyFields(jsonOf(item))) : value;
}
