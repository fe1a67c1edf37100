/**
 * The record of a build's images and the copy of its push credentials: created before the Job, and again where they were
 * deleted (`images/builds/image-record.ts`).
 */
import { annotations, type MachineOSBuild } from '../../api/index.ts';
import { errorText } from '../../base/errors.ts';
import { stringAt } from '../../base/json-fields.ts';
import {
  type BuildSnapshot,
  digestConfigMapOf,
  finalSecretOf,
  type ImageRecord,
  pushSecret,
  readAttempts,
  readImageRecord,
  recordAfterAttempt,
  recordData,
  recordForNextBuild,
  recordMetadata,
  repositoryOfTag,
} from '../../images/index.ts';
import { annotationOf, nameOf } from '../../kubernetes/meta/index.ts';
import {
  type ConfigMap,
  configMap as configMapKind,
  type Secret,
  secret as secretKind,
} from '../../kubernetes/types/index.ts';
import type { BuildContext } from './build-context.ts';
import { ensure } from './ensure.ts';
import { imagesOf } from './image-records.ts';
import { pushCredentials } from './push-credentials.ts';

/** Before the Job: an image that is pushed must not be forgotten. */
export async function openRecord(context: BuildContext, build: MachineOSBuild): Promise<ConfigMap> {
  const { kube, sources, options } = context;
  const found = await kube.get(configMapKind, placeOf(context, build));
  const before = found === undefined ? emptyRecord(build) : readImageRecord(found);
  // A pod may have pushed an image and died before it could report it.
  const tag = stringAt(build, 'spec', 'renderedImagePushSpec');
  const tagged = await options.registry.digestOf(tag, pushCredentials(sources, build));
  const record = { ...recordForNextBuild(before, tagged), repository: repositoryOf(build) };
  return await writeRecord(context, build, { found, record, attempts: 0 });
}

/**
 * Before the next pod of the Job pushes: what a failed one has pushed, and could not report, loses its tag then. A registry that
 * does not answer must not hide why the pod failed.
 */
export async function noteAttempts(
  context: BuildContext,
  build: MachineOSBuild,
  attempts: number,
): Promise<void> {
  const { kube, sources, options, env } = context;
  const found = await kube.get(configMapKind, placeOf(context, build));
  if (found === undefined) return;
  const tag = stringAt(build, 'spec', 'renderedImagePushSpec');
  const tagged = await options.registry
    .digestOf(tag, pushCredentials(sources, build))
    .catch((error: unknown) => {
      env.log.warn('Image of a failed pod not looked for', { build: nameOf(build), error: errorText(error) });
      return undefined;
    });
  const record = recordAfterAttempt(readImageRecord(found), tagged);
  await writeRecord(context, build, { found, record, attempts });
}

/**
 * What is known of the images without the record: that of the build, and those on nodes that no build names. They are in the
 * same repository.
 */
export async function restoreRecord(
  context: BuildContext,
  { secrets }: BuildSnapshot,
  build: MachineOSBuild,
): Promise<void> {
  const { kube, sources } = context;
  const found = await kube.get(configMapKind, placeOf(context, build));
  const known = found === undefined ? emptyRecord(build) : readImageRecord(found);
  const prefix = `${repositoryOf(build)}@`;
  const image = stringAt(build, 'status', 'digestedImagePushSpec');
  const built = new Set(
    [...sources.builds.all()].map((one) => stringAt(one, 'status', 'digestedImagePushSpec')),
  );
  const orphans = [...sources.nodes.all()]
    .flatMap(imagesOf)
    .filter((one) => found === undefined && one.startsWith(prefix) && !built.has(one))
    .map((one) => one.slice(prefix.length));
  const record = {
    repository: repositoryOf(build),
    digest: known.digest ?? (image === '' ? undefined : image.slice(prefix.length)),
    former: [...new Set([...known.former, ...orphans])],
  };
  const attempts = found === undefined ? 0 : readAttempts(found);
  const written = await writeRecord(context, build, { found, record, attempts });
  if (secrets.push !== undefined)
    await ensure(
      kube,
      secretKind,
      ofRecord(pushSecret(build, secrets.push, sources.namespace), build, written),
    );
}

type WrittenRecord = {
  readonly found: ConfigMap | undefined;
  readonly record: ImageRecord;
  readonly attempts: number;
};

/** Every opening changes it, so that a deletion that was decided before fails. */
async function writeRecord(
  context: BuildContext,
  build: MachineOSBuild,
  { found, record, attempts }: WrittenRecord,
): Promise<ConfigMap> {
  const { kube } = context;
  const metadata = recordMetadata(build, placeOf(context, build));
  const data = {
    ...recordData(record),
    build: build.metadata.uid ?? '',
    attempts: attempts === 0 ? null : String(attempts),
  };
  if (found === undefined) {
    const present = Object.fromEntries(Object.entries(data).filter((entry) => entry[1] !== null));
    const object = { apiVersion: 'v1' as const, kind: 'ConfigMap' as const, metadata };
    const jobUid = annotationOf(build, annotations.jobUid);
    // The digest of a restored record is that of the build's own Job.
    const values =
      record.digest === undefined || jobUid === undefined ? {} : { [annotations.jobUid]: jobUid };
    return await kube.create(configMapKind, {
      ...object,
      metadata: { ...metadata, annotations: values },
      data: present as { [key: string]: string },
    });
  }
  const { uid, resourceVersion } = found.metadata;
  const body = { metadata: { uid, resourceVersion, labels: metadata.labels }, data };
  return await kube.patch(configMapKind, placeOf(context, build), { type: 'merge', body });
}

/** The copy of the push credentials goes with the record; other Secrets are left as they are. */
export function ofRecord(secret: Secret, build: MachineOSBuild, record: ConfigMap): Secret {
  if (nameOf(secret) !== finalSecretOf(nameOf(build))) return secret;
  const { name, uid = '' } = record.metadata;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid }];
  return { ...secret, metadata: { ...secret.metadata, ownerReferences } };
}

function placeOf({ sources: { namespace } }: BuildContext, build: MachineOSBuild) {
  return { name: digestConfigMapOf(nameOf(build)), namespace };
}

function emptyRecord(build: MachineOSBuild): ImageRecord {
  return { repository: repositoryOf(build), digest: undefined, former: [] };
}

function repositoryOf(build: MachineOSBuild): string {
  return repositoryOfTag(stringAt(build, 'spec', 'renderedImagePushSpec'));
}
