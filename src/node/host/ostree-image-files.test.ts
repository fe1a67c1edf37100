import { expect, it } from 'vitest';
import { imageRef } from './ostree-image-files.ts';

it.each([
  ['docker.example.dev/machine/os20:latest', 'docker_2E_example_2E_dev/machine/os20_3A_latest'],
  ['r.example/a__b/os-4.18:v2', 'r_2E_example/a____b/os-4_2E_18_3A_v2'],
  ['r.example/os@sha256:ab', 'r_2E_example/os_40_sha256_3A_ab'],
])('keeps the image %s under the ref of ostree container', (image, ref) => {
  expect(imageRef(image)).toBe(`ostree/container/image/docker_3A__2F__2F_${ref}`);
});
