/**
 * What a volume says where nobody said it.
 */

import type { JsonObject } from '../../../base/json.ts';
import { stringAt } from '../../../base/json-fields.ts';
import { changedAt, eachChangedAt, filledWith } from '../field-changes.ts';
import { withFieldDefaults } from './container-defaults.ts';
import { imageTag } from './image-name.ts';

/** rw-r--r--. */
const DEFAULT_MODE = 0o644;
const TOKEN_LIFE_SECONDS = 3600;

export function volumeWithDefaults(volume: JsonObject): JsonObject {
  // A volume of no kind is an empty folder.
  const hasKind = Object.keys(volume).some((key) => key !== 'name');
  let filled: JsonObject = hasKind ? volume : { ...volume, emptyDir: {} };
  for (const kind of ['configMap', 'secret', 'downwardAPI', 'projected']) {
    filled = changedAt(filled, kind, (source) => filledWith(source, { defaultMode: DEFAULT_MODE }));
  }
  filled = changedAt(filled, 'downwardAPI', withItemDefaults);
  filled = changedAt(filled, 'projected', (projected) =>
    eachChangedAt(projected, 'sources', withProjectionDefaults),
  );
  filled = changedAt(filled, 'hostPath', (source) => filledWith(source, { type: '' }));
  filled = changedAt(filled, 'ephemeral', (source) =>
    changedAt(source, 'volumeClaimTemplate', (template) =>
      changedAt(template, 'spec', (spec) => filledWith(spec, { volumeMode: 'Filesystem' })),
    ),
  );
  return changedAt(filled, 'image', (source) => {
    const isLatest = imageTag(stringAt(source, 'reference')) === 'latest';
    return filledWith(source, { pullPolicy: isLatest ? 'Always' : 'IfNotPresent' });
  });
}

function withProjectionDefaults(source: JsonObject): JsonObject {
  const named = changedAt(source, 'serviceAccountToken', (token) =>
    filledWith(token, { expirationSeconds: TOKEN_LIFE_SECONDS }),
  );
  return changedAt(named, 'downwardAPI', withItemDefaults);
}

function withItemDefaults(source: JsonObject): JsonObject {
  return eachChangedAt(source, 'items', withFieldDefaults);
}
