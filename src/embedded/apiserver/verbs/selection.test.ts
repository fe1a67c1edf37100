import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/json.ts';
import { createBuiltinResources } from '../../resources/index.ts';
import { encodeObject } from '../store/stored-object.ts';
import { selectionOf } from './selection.ts';

const pods = createBuiltinResources().find(({ group, plural }) => group === '' && plural === 'pods');
if (pods === undefined) throw new Error('pods are served');

const entryOf = (object: JsonObject, key = '/pods/default/a') => ({ key, value: encodeObject(object) });
const onNode = (nodeName: string) => ({ metadata: { name: 'a' }, spec: { nodeName, containers: [] } });

describe('a selection', () => {
  it.each([
    ['spec.nodeName=n1', 'n1', true],
    ['spec.nodeName=n1', 'n10', false],
    ['spec.nodeName=n1', 'n2', false],
    ['spec.nodeName!=n1', 'n1', true],
    ['spec.nodeName=', 'n1', true],
    ['status.phase=Running', 'n1', true],
    ['spec.nodeName=ä', 'ä', true],
    ['', 'n1', true],
  ])('mayMatch of %j for a pod on %s: %s', (fieldSelector, node, expected) => {
    const { mayMatch } = selectionOf(pods, { fieldSelector, labelSelector: '' });
    expect(mayMatch(entryOf(onNode(node)))).toBe(expected);
  });

  it('has no false negatives in mayMatch', () => {
    const { mayMatch, matches } = selectionOf(pods, {
      fieldSelector: 'spec.nodeName=n.1-a',
      labelSelector: '',
    });
    const object = onNode('n.1-a');
    expect([matches(object), mayMatch(entryOf(object))]).toEqual([true, true]);
  });

  it.each([
    ['metadata.name=a', '/pods/default/a', true],
    ['metadata.name=a', '/pods/default/ba', false],
    ['metadata.name=default/a', '/pods/default/a', false],
    ['metadata.name=', '/pods/default/a', false],
  ])('finds with %j at %s, by the key alone: %s', (fieldSelector, key, expected) => {
    const { mayMatch, needsObject } = selectionOf(pods, { fieldSelector, labelSelector: '' });
    expect(needsObject).toBe(false);
    expect(mayMatch(entryOf(onNode('n1'), key))).toBe(expected);
  });

  it('needs the object where it requires more than a name', () => {
    const both = 'metadata.name=a,spec.nodeName=n1';
    expect(selectionOf(pods, { fieldSelector: both, labelSelector: '' }).needsObject).toBe(true);
    const labelled = { fieldSelector: 'metadata.name=a', labelSelector: 'app=web' };
    expect(selectionOf(pods, labelled).needsObject).toBe(true);
    const different = { fieldSelector: 'metadata.name!=a', labelSelector: '' };
    expect(selectionOf(pods, different).needsObject).toBe(true);
  });
});
