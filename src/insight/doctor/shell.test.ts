import { expect, it } from 'vitest';
import { shell } from './shell.ts';

it('leaves names, images and selectors as they are', () => {
  const image = 'r.example:5000/os@sha256:0123';
  expect(shell`skopeo inspect docker://${image}`).toBe(`skopeo inspect docker://${image}`);
  expect(shell`kubectl -n ${'shop'} get pdb ${['a', 'b']}`).toBe('kubectl -n shop get pdb a b');
});

it.each([
  ['x; rm -rf ~', "kubectl get node 'x; rm -rf ~'"],
  ['$(reboot)', "kubectl get node '$(reboot)'"],
  ["a'b", "kubectl get node 'a'\\''b'"],
  ['a\nb\x1b[2J', "kubectl get node 'a?b?[2J'"],
])('quotes what a shell would not read as one word: %j', (name, command) => {
  expect(shell`kubectl get node ${name}`).toBe(command);
});
