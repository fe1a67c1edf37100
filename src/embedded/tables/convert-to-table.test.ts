import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import { parseTimestamp } from '../../base/text/timestamps.ts';
import { clusterRole, configMap, pod } from '../../kubernetes/types/index.ts';
import { convertToTable, type TableRequest } from './convert-to-table.ts';
import { printerFor } from './printers.ts';

const object: JsonObject = {
  metadata: { name: 'a', uid: 'u', resourceVersion: '5', creationTimestamp: '2025-12-31T23:59:00Z' },
  data: { k: 'v' },
};
const request: TableRequest = {
  resource: { ...configMap, origin: 'builtin' },
  objects: [object],
  nowMs: parseTimestamp('2026-01-01T00:00:00Z') ?? 0,
  metadata: { resourceVersion: '7', continue: 'c', remainingItemCount: 2 },
  includeObject: 'Metadata',
  withColumns: true,
};

describe('convertToTable', () => {
  it('returns column definitions, and a row with metadata for each object', () => {
    expect(convertToTable(request)).toEqual({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: '7', continue: 'c', remainingItemCount: 2 },
      columnDefinitions: printerFor(request.resource).columns,
      rows: [
        {
          cells: ['a', 1, '60s'],
          object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata },
        },
      ],
    });
  });

  it('uses the requested version in its rows', () => {
    const table = convertToTable({ ...request, apiVersion: 'meta.k8s.io/v1beta1' });
    expect(table.apiVersion).toBe('meta.k8s.io/v1beta1');
    expect(table.rows?.[0]?.object).toMatchObject({ apiVersion: 'meta.k8s.io/v1beta1' });
  });

  it('includes as much of the object as requested', () => {
    const carried = (includeObject: TableRequest['includeObject']) =>
      convertToTable({ ...request, includeObject }).rows?.[0]?.object;
    expect(carried('None')).toBeNull();
    expect(carried('Object')).toEqual({ ...object, kind: 'ConfigMap', apiVersion: 'v1' });
  });

  it('omits column definitions that were sent before', () => {
    expect(convertToTable({ ...request, withColumns: false }).columnDefinitions).toBeNull();
  });

  it('returns no rows for no objects, and null for kinds without a printer', () => {
    expect(convertToTable({ ...request, objects: [] }).rows).toEqual([]);
    const resource = { ...clusterRole, origin: 'builtin' } as const;
    expect(convertToTable({ ...request, resource, objects: [] }).rows).toBeNull();
    expect(convertToTable({ ...request, resource }).rows).toHaveLength(1);
  });

  it('sets conditions on rows of finished pods', () => {
    const resource = { ...pod, origin: 'builtin' } as const;
    const ended = { ...object, status: { phase: 'Failed' } };
    const table = convertToTable({ ...request, resource, objects: [ended] });
    expect(table.rows?.[0]?.conditions).toEqual(printerFor(resource).row(ended, 0).conditions);
    expect(table.rows?.[0]?.conditions).toMatchObject([{ type: 'Completed' }]);
  });
});
