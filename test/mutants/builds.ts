/**
 * Mistakes about OS images that are built in the cluster.
 */
import type { Mutant } from './mutant.ts';

export const buildMutants: readonly Mutant[] = [
  {
    name: 'deletes-images-that-nodes-run',
    why: 'Once no build has it, an image is deleted although nodes run it: one that is installed anew cannot pull it.',
    ask: 'an image stays until the last node has left it (docs/image-mode.md)',
    seed: 10,
    patches: [
      {
        file: 'src/controllers/builds/image-records.ts',
        from: '    ...[...nodes.all()].flatMap(imagesOf),\n',
        to: '    ...[...nodes.all()].flatMap((node) => (imagesOf(node).length === 0 ? imagesOf(node) : [])),\n',
      },
    ],
  },
  {
    name: 'claims-the-image-before-the-boot',
    why: 'currentImage advances when the reboot is announced: a machine that comes up with the old OS claims the new one.',
    ask: 12,
    seed: 1,
    patches: [
      {
        file: 'src/node/report/apply-step-event.ts',
        from: "draft.annotate(annotations.postConfigAction, 'Rebooting');",
        to: "draft.annotate(annotations.postConfigAction, 'Rebooting');\n    if (draft.annotation(annotations.desiredImage) !== '')\n      draft.annotate(annotations.currentImage, draft.annotation(annotations.desiredImage));",
      },
    ],
  },
  {
    name: 'sends-nodes-before-their-image-is-built',
    why: 'While the image of a new config is built, nodes get that config with the image before.',
    ask: 'nodes get config and image together (docs/image-mode.md)',
    seed: 5,
    patches: [
      {
        file: 'src/rollout/layering.ts',
        from: "  if (state === 'Building') return waiting('Image build pending');\n  if (state !== 'Succeeded') return waiting('Image is not ready yet');\n",
        to: '',
      },
      {
        file: 'src/rollout/layering.ts',
        from: '  if (pushedImage(build) === image) return { isReady: true, hasFailed: false, message: built };',
        to: '  if (image !== built) return { isReady: true, hasFailed: false, message: built };',
      },
    ],
  },
  {
    name: 'keeps-every-build',
    why: 'Builds, their records and their images pile up in the cluster and in the registry.',
    ask: 'the two newest builds are kept (docs/image-mode.md)',
    seed: 1,
    patches: [
      {
        file: 'src/images/builds/decide-build.ts',
        from: "  if (unused !== undefined) return { kind: 'delete', build: unused, why: 'pruned' };\n",
        to: "  if (unused === build) return { kind: 'delete', build: unused, why: 'pruned' };\n",
      },
    ],
  },
  {
    name: 'succeeds-before-the-push',
    why: 'A build counts as done once its Job has begun, with a digest that belongs to no image.',
    ask: 'a build has succeeded when its image is pushed (docs/image-mode.md)',
    seed: 1,
    patches: [
      {
        file: 'src/images/builds/decide-build.ts',
        from: "  if (next === 'Succeeded') return successAction(snapshot, build);\n",
        to: "  if (next === 'Succeeded') return successAction(snapshot, build);\n  const tag = parsePushReference(stringAt(build, 'spec', 'renderedImagePushSpec'));\n  if (next === 'Building' && tag.kind === 'ok')\n    return { kind: 'report', build, state: 'Succeeded', image: digestedReference(tag.value, `sha256:${'0'.repeat(64)}`) };\n",
      },
    ],
  },
];
