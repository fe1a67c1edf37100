/**
 * Defaults of volumes.
 */

import type { JsonObject } from '../../../base/json.ts';
import { stringAt } from '../../../base/json-fields.ts';
import { withChangedField, withChangedItems, withDefaults } from '../object-edits.ts';
import { withFieldDefaults } from './container-defaults.ts';
import { imageTag } from './image-name.ts';

/** rw-r--r--. */
const DEFAULT_MODE = 0o644;
const TOKEN_LIFE_SECONDS = 3600;

export function volumeWithDefaults(volume: JsonObject): JsonObject {
  // A volume without a source is an emptyDir.
  const hasKind = Object.keys(volume).some((key) => key !== 'name');
  let filled: JsonObject = hasKind ? volume : { ...volume, emptyDir: {} };
  for (const kind of ['configMap', 'secret', 'downwardAPI', 'projected']) {
    filled = withChangedField(filled, kind, (source) => withDefaults(source, { defaultMode: DEFAULT_MODE }));
  }
  filled = withChangedField(filled, 'downwardAPI', withItemDefaults);
  filled = withChangedField(filled, 'projected', (projected) =>
    withChangedItems(projected, 'sources', withProjectionDefaults),
  );
  filled = withChangedField(filled, 'hostPath', (source) => withDefaults(source, { type: '' }));
  filled = withChangedField(filled, 'ephemeral', (source) =>
    withChangedField(source, 'volumeClaimTemplate', (template) =>
      withChangedField(template, 'spec', (spec) => withDefaults(spec, { volumeMode: 'Filesystem' })),
    ),
  );
  return withChangedField(filled, 'image', (source) => {
    const isLatest = imageTag(stringAt(source, 'reference')) === 'latest';
    return withDefaults(source, { pullPolicy: isLatest ? 'Always' : 'IfNotPresent' });
  });
}

function withProjectionDefaults(source: JsonObject): JsonObject {
  const named = withChangedField(source, 'serviceAccountToken', (token) =>
    withDefaults(token, { expirationSeconds: TOKEN_LIFE_SECONDS }),
  );
  return withChangedField(named, 'downwardAPI', withItemDefaults);
}

function withItemDefaults(source: JsonObject): JsonObject {
  return withChangedItems(source, 'items', withFieldDefaults);
}
