/**
 * Metadata as Go prints the struct, for an error of kube-apiserver.
 *
 * Server-set fields are shown as unset: they are dropped before. So is `managedFields`, which Go prints as a pointer.
 */

import { compareBytes, isObject, own } from '../../base/json.ts';
import { type Fields, stringAt } from '../../base/json-fields.ts';
import { quoted } from '../../base/text/index.ts';

export function objectMetaText(metadata: Fields): string {
  const text = (key: string): string => quoted(stringAt(metadata, key));
  const generation = own(metadata, 'generation');
  const parts = [
    `Name:${text('name')}`,
    `GenerateName:${text('generateName')}`,
    `Namespace:${text('namespace')}`,
    'SelfLink:""',
    'UID:""',
    `ResourceVersion:${text('resourceVersion')}`,
    `Generation:${typeof generation === 'number' ? generation : 0}`,
    'CreationTimestamp:time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC)',
    'DeletionTimestamp:<nil>',
    'DeletionGracePeriodSeconds:(*int64)(nil)',
    `Labels:${mapText(own(metadata, 'labels'))}`,
    `Annotations:${mapText(own(metadata, 'annotations'))}`,
    `OwnerReferences:${listText('[]v1.OwnerReference', own(metadata, 'ownerReferences'), ownerText)}`,
    `Finalizers:${listText('[]string', own(metadata, 'finalizers'), valueText)}`,
    'ManagedFields:[]v1.ManagedFieldsEntry(nil)',
  ];
  return `v1.ObjectMeta{${parts.join(', ')}}`;
}

function mapText(map: unknown): string {
  if (!isObject(map)) return 'map[string]string(nil)';
  const keys = Object.keys(map).sort(compareBytes);
  return `map[string]string{${keys.map((key) => `${quoted(key)}:${valueText(map[key])}`).join(', ')}}`;
}

function listText(type: string, list: unknown, itemText: (item: unknown) => string): string {
  return Array.isArray(list) ? `${type}{${list.map(itemText).join(', ')}}` : `${type}(nil)`;
}

function ownerText(item: unknown): string {
  const owner = isObject(item) ? item : {};
  const text = (key: string): string => quoted(stringAt(owner, key));
  const names = `APIVersion:${text('apiVersion')}, Kind:${text('kind')}, Name:${text('name')}, UID:${text('uid')}`;
  return `v1.OwnerReference{${names}, Controller:(*bool)(nil), BlockOwnerDeletion:(*bool)(nil)}`;
}

function valueText(value: unknown): string {
  return quoted(typeof value === 'string' ? value : '');
}
