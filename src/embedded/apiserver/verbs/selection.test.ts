import { describe, expect, it } from 'vitest';
import { createBuiltinResources } from '../../resources/index.ts';
import { encodeObject } from '../store/stored-object.ts';
import { selectionOf } from './selection.ts';

const pods = createBuiltinResources().find(({ group, plural }) => group === '' && plural === 'pods');
if (pods === undefined) throw new Error('pods are served');

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
    expect(mayMatch(encodeObject(onNode(node)))).toBe(expected);
  });

  it('has no false negatives in mayMatch', () => {
    const { mayMatch, matches } = selectionOf(pods, {
      fieldSelector: 'spec.nodeName=n.1-a',
      labelSelector: '',
    });
    const object = onNode('n.1-a');
    expect([matches(object), mayMatch(encodeObject(object))]).toEqual([true, true]);
  });
});
