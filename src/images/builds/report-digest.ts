/**
 * Reports the digest of a pushed image to the build controller: into the ConfigMap `digest-<build>` (`image-record.ts`).
 */
import { annotations } from '../../api/index.ts';
import { invalid, type Outcome, ok } from '../../base/errors.ts';
import { isNotFound, type Kube } from '../../kubernetes/client/index.ts';
import { configMap as configMapKind } from '../../kubernetes/types/index.ts';
import { repositoryOfTag } from './push-reference.ts';

type DigestReport = {
  /** Of the ConfigMap. */
  readonly namespace: string;
  readonly configMap: string;
  readonly digest: string;
  /** Of the Job that pushed it: a former Job of the same name had another image. */
  readonly jobUid: string;
  /** The reference that it was pushed to. */
  readonly tag: string;
  readonly labels: { readonly [key: string]: string };
};

/**
 * The controller creates the ConfigMap before the Job. One that is gone is created again: without it the image would be forgotten,
 * and where its build is gone too, the controller finds it and deletes both.
 */
export async function reportDigest(kube: Kube, report: DigestReport): Promise<void> {
  const { namespace, configMap: name, digest, jobUid, tag, labels } = report;
  const metadata = { annotations: { [annotations.jobUid]: jobUid }, labels };
  const body = { metadata, data: { digest } };
  try {
    await kube.patch(configMapKind, { name, namespace }, { type: 'merge', body });
  } catch (error) {
    if (!isNotFound(error, name)) throw error;
    await kube.create(configMapKind, {
      ...{ apiVersion: 'v1', kind: 'ConfigMap' },
      metadata: { ...metadata, name, namespace },
      data: { digest, repository: repositoryOfTag(tag) },
    });
  }
}

/** `key=value,other=`, as in the environment of build pods. */
export function parseLabels(text: string): Outcome<{ readonly [key: string]: string }> {
  const parts = text === '' ? [] : text.split(',');
  const wrong = parts.find((part) => !/^[^=]+=[^=]*$/.test(part));
  if (wrong !== undefined) {
    return invalid([{ path: '', message: `parse labels: ${JSON.stringify(wrong)} is not KEY=VALUE` }]);
  }
  return ok(Object.fromEntries(parts.map((part) => part.split('=') as [string, string])));
}
