import { expect, it } from 'vitest';
import { SimulatedNodes } from './simulated-nodes.ts';

it('the nodes with simulated kubelets keep their numbers while others come and go, and free numbers are used again', () => {
  const nodes = new SimulatedNodes([{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
  nodes.remove('b');
  nodes.add({ name: 'd' });
  nodes.add({ name: 'e' });
  expect(nodes.names.map((name) => [name, nodes.get(name)?.index])).toEqual([
    ['a', 0],
    ['c', 2],
    ['d', 1],
    ['e', 3],
  ]);
  expect(nodes.has('b')).toBe(false);
});
