/**
 * An Ignition config without its secrets. Contents of secret files, key files, password hashes and HTTP headers are replaced as a
 * whole, lines of units and arguments only where they hold a credential.
 */
import { isJsonObject, isObject, type Json, type JsonObject, parseJson } from '../../base/json.ts';
import { objectAt, objectsAt, optionalNumberAt, optionalStringAt, stringAt } from '../../base/json-fields.ts';
import { fileContents } from '../../config/ignition/index.ts';
import type { Redaction } from './redaction.ts';
import { isSecretContent, isSecretFile } from './secret-file.ts';

export function redactIgnition(config: JsonObject, redaction: Redaction): JsonObject {
  const storage = objectAt(config, 'storage');
  return {
    ...config,
    ...(isObject(config.ignition) && { ignition: redactReferences(config.ignition, redaction) }),
    ...(storage && { storage: redactStorage(storage, redaction) }),
    ...(isObject(config.passwd) && { passwd: redactAccounts(config.passwd, redaction) }),
  };
}

/** Configs that are merged or appended, or that replace it: each may hold all that a config holds. */
function redactReferences(ignition: JsonObject, redaction: Redaction): JsonObject {
  const clean = redactHeaders(ignition, redaction);
  const config = objectAt(clean, 'config');
  if (config === undefined) return clean;
  const redacted = Object.entries(config).map(([key, item]): [string, Json] => {
    if (Array.isArray(item))
      return [key, item.map((one: Json) => (isObject(one) ? redactNested(one, redaction) : one))];
    return [key, isObject(item) ? redactNested(item, redaction) : item];
  });
  return { ...clean, config: Object.fromEntries(redacted) };
}

function redactNested(resource: JsonObject, redaction: Redaction): JsonObject {
  const nested = parseJson(textOf(resource));
  if (!isJsonObject(nested)) return redactResource(resource, true, redaction);
  const { compression: _, verification: __, ...rest } = resource;
  const text = JSON.stringify(redactIgnition(nested, redaction));
  return { ...rest, source: `data:,${encodeURIComponent(text)}` };
}

function redactStorage(storage: JsonObject, redaction: Redaction): JsonObject {
  const files = objectsAt(storage, 'files');
  const volumes = objectsAt(storage, 'luks');
  return {
    ...storage,
    ...(files.length > 0 && { files: files.map((file) => redactFile(file, redaction)) }),
    ...(volumes.length > 0 && { luks: volumes.map((volume) => redactVolume(volume, redaction)) }),
  };
}

function redactFile(file: JsonObject, redaction: Redaction): JsonObject {
  const isSecret = isSecretFile({ path: stringAt(file, 'path'), mode: optionalNumberAt(file, 'mode') });
  const contents = objectAt(file, 'contents');
  const parts = objectsAt(file, 'append');
  return {
    ...file,
    ...(contents && { contents: redactResource(contents, isSecret, redaction) }),
    ...(parts.length > 0 && { append: parts.map((part) => redactResource(part, isSecret, redaction)) }),
  };
}

/** The key file of an encrypted volume. */
function redactVolume(volume: JsonObject, redaction: Redaction): JsonObject {
  const keyFile = objectAt(volume, 'keyFile');
  return {
    ...volume,
    ...(keyFile && { keyFile: redactResource(keyFile, true, redaction) }),
    ...(isObject(volume.clevis) && { clevis: { redacted: redaction.mark(JSON.stringify(volume.clevis)) } }),
  };
}

/** A resource stays valid Ignition: its mark is the content. */
function redactResource(resource: JsonObject, isSecret: boolean, redaction: Redaction): JsonObject {
  const clean = redactHeaders(resource, redaction);
  const source = optionalStringAt(resource, 'source');
  if (source === undefined || !/^data:/i.test(source)) return clean;
  if (!isSecret && !isSecretContent(textOf(resource))) return clean;
  const { compression: _, verification: __, ...rest } = clean;
  return { ...rest, source: `data:,${encodeURIComponent(redaction.mark(source))}` };
}

/** What the file will contain; the source itself where that cannot be read. */
function textOf(resource: JsonObject): string {
  const read = fileContents({ ...resource });
  return read.kind === 'ok' ? new TextDecoder().decode(read.value) : stringAt(resource, 'source');
}

/** Wherever they are: of files, and of configs that are merged. */
function redactHeaders(value: JsonObject, redaction: Redaction): JsonObject {
  const redacted = Object.entries(value).map(([key, item]): [string, Json] => {
    if (key === 'httpHeaders')
      return [key, objectsAt(value, key).map((header) => redactHeader(header, redaction))];
    if (Array.isArray(item)) {
      return [key, item.map((one: Json) => (isObject(one) ? redactHeaders(one, redaction) : one))];
    }
    return [key, isObject(item) ? redactHeaders(item, redaction) : item];
  });
  return Object.fromEntries(redacted);
}

function redactHeader(header: JsonObject, redaction: Redaction): JsonObject {
  const value = optionalStringAt(header, 'value');
  return value === undefined ? header : { ...header, value: redaction.mark(value) };
}

function redactAccounts(passwd: JsonObject, redaction: Redaction): JsonObject {
  const redacted = (field: string) =>
    objectsAt(passwd, field).map((account) => {
      const hash = optionalStringAt(account, 'passwordHash');
      return hash === undefined ? account : { ...account, passwordHash: redaction.mark(hash) };
    });
  return {
    ...passwd,
    ...('users' in passwd && { users: redacted('users') }),
    ...('groups' in passwd && { groups: redacted('groups') }),
  };
}
