/**
 * The strategy of CustomResourceDefinitions.
 */

import { isObject, type Json, type JsonObject, jsonEqual } from '../../base/json.ts';
import { checkDnsSubdomain } from '../../kubernetes/meta/index.ts';
import { customResourceDefinition } from '../../kubernetes/types/index.ts';
import { applyDefaults } from '../../kubernetes/validation/index.ts';
import { type Decoded, nameValidator, type Strategy } from '../resources/index.ts';
import { type Crd, crdToObject, toCrd } from './crd.ts';
import { decodeSchema } from './decode-schema.ts';
import { inDocumentOrder } from './document-order.ts';
import { createProblems, statusProblems, updateProblems } from './validate-crd.ts';

/** `decode` decodes a CRD except for its schemas. */
export function createCrdStrategy({ decode }: { readonly decode: (sent: JsonObject) => Decoded }): Strategy {
  return {
    validateName: nameValidator(checkDnsSubdomain),
    allowsUnconditionalUpdate: false,
    allowsCreateOnUpdate: false,
    decode: (sent) => withSchemas(sent, decode(sent)),
    setDefaults: setDefaults,
    prepareForCreate: (object) => {
      const crd = toCrd(object);
      const status = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null };
      return withStorageVersion({
        ...crd,
        metadata: { ...crd.metadata, generation: 1 },
        status,
      });
    },
    prepareForUpdate: (object, old) => {
      const { metadata } = toCrd(old);
      const hasChanged = !jsonEqual(object.spec, old.spec);
      const generation = (metadata.generation ?? 0) + (hasChanged ? 1 : 0);
      const crd = withGeneration(toCrd(object), generation);
      const { status } = toCrd(old);
      return withStorageVersion(status === undefined ? crd : { ...crd, status });
    },
    validateCreate: createProblems,
    validateUpdate: updateProblems,
    warnings: () => [],
    subresources: {
      status: {
        // Unlike for other kinds metadata can be changed: the finalizer is removed through the status subresource.
        prepareForUpdate: (object, old) => {
          const { spec, metadata } = toCrd(old);
          const crd = { ...toCrd(object), spec };
          return crdToObject(withGeneration(crd, metadata.generation ?? 0));
        },
        validateUpdate: statusProblems,
        resetFields: [['metadata'], ['spec']],
      },
    },
    resetFields: [['status']],
  };
}

function withGeneration(crd: Crd, generation: number): Crd {
  return { ...crd, metadata: { ...crd.metadata, generation } };
}

/** Adds the storage version to `status.storedVersions`. */
function withStorageVersion(crd: Crd): JsonObject {
  const { status } = crd;
  const stored = status?.storedVersions ?? [];
  const version = crd.spec.versions.find(({ storage }) => storage)?.name;
  if (version === undefined || stored.includes(version)) return crdToObject(crd);
  return crdToObject({ ...crd, status: { ...status, storedVersions: [...stored, version] } });
}

function withSchemas(sent: JsonObject, decoded: Decoded): Decoded {
  if (decoded.kind === 'failed') return decoded;
  const { spec } = decoded.object;
  // A CRD without versions or spec is rejected by validation.
  if (!isObject(spec) || !Array.isArray(spec.versions)) {
    const empty = { ...(isObject(spec) ? (spec as JsonObject) : {}), versions: [] };
    return { ...decoded, object: { ...decoded.object, spec: empty } };
  }
  const unknownFields: string[] = [...decoded.unknownFields];
  const versions: Json[] = [];
  for (const [index, version] of spec.versions.entries()) {
    const schema: unknown =
      isObject(version) && isObject(version.schema) ? version.schema.openAPIV3Schema : undefined;
    if (schema === undefined) {
      versions.push(version);
      continue;
    }
    const path = `spec.versions[${index}].schema.openAPIV3Schema`;
    const read = decodeSchema(schema, { goPath: 'spec.versions.schema.openAPIV3Schema', path });
    if (read.kind === 'failed') return read;
    for (const field of read.unknownFields) unknownFields.push(field);
    versions.push({ ...version, schema: { ...version.schema, openAPIV3Schema: read.schema } });
  }
  const object = { ...decoded.object, spec: { ...(decoded.object.spec as JsonObject), versions } };
  return { kind: 'decoded', object, unknownFields: inDocumentOrder(sent, unknownFields) };
}

function setDefaults(object: JsonObject): JsonObject {
  // Given an object, `applyDefaults` returns an object.
  const crd = toCrd(applyDefaults(customResourceDefinition.schema, object) as JsonObject);
  const { spec, status } = crd;
  const { names, conversion } = spec;
  const singular = names.singular || names.kind.toLowerCase();
  const listKind = names.listKind || (names.kind === '' ? '' : `${names.kind}List`);
  const stored = status?.storedVersions ?? [];
  const storage = spec.versions.find((version) => version.storage)?.name;
  return crdToObject({
    ...crd,
    spec: {
      ...spec,
      names: { ...names, ...(singular === '' ? {} : { singular }), ...(listKind === '' ? {} : { listKind }) },
      conversion: conversion === undefined ? { strategy: 'None' } : withPort(conversion),
    },
    status: {
      conditions: null,
      ...status,
      acceptedNames: { plural: '', kind: '', ...status?.acceptedNames },
      storedVersions:
        stored.length === 0 && storage !== undefined ? [storage] : (status?.storedVersions ?? null),
    },
  });
}

type Conversion = NonNullable<Crd['spec']['conversion']>;

const HTTPS_PORT = 443;

function withPort(conversion: Conversion): Conversion {
  const { webhook } = conversion;
  const service = webhook?.clientConfig?.service;
  if (webhook === undefined || service === undefined || service.port !== undefined) return conversion;
  const clientConfig = { ...webhook.clientConfig, service: { ...service, port: HTTPS_PORT } };
  return { ...conversion, webhook: { ...webhook, clientConfig } };
}
