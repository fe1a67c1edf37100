/**
 * Flags and help of the builder and of the containers of its build pods.
 */
import { Command } from 'commander';
import type { BuildPodOptions, BuildPodStep } from './build-pod-command.ts';
import { buildTimeoutOption } from './build-timeout-option.ts';
import type { BuilderOptions } from './builder-command.ts';
import { addMetricsOptions, type Context, healthAddressOption } from './command-context.ts';
import { ownNamespaceOption } from './namespace-option.ts';

export function createBuilderCommand(program: Command, { ports, version, exit }: Context): Command {
  const command = new Command('builder')
    .copyInheritedSettings(program)
    .summary('in a cluster: build OS images of pools that have a MachineOSConfig')
    .description(
      'Runs in the Deployment machine-os-builder of manifests/workloads-builder.yaml. Creates a MachineOSBuild and a Job for each image, reports their state, and deletes images that nothing uses any more. Uses the ServiceAccount of its pod, or --kubeconfig. Replicas elect a leader: only the holder of the Lease machine-os-builder in the namespace of Millwright is active. Logs to stderr; Ctrl-C or SIGTERM stops it, and builds that run go on.',
    )
    .usage('[OPTIONS]')
    .option('--kubeconfig <FILE>', 'use the current context of this kubeconfig (default: in-cluster config)')
    .option(
      '--builder-image <IMAGE>',
      'image of the build pods, with buildah (default: the image of the pod $POD_NAME that this runs in)',
    )
    .addOption(ownNamespaceOption())
    .addOption(buildTimeoutOption())
    .addOption(healthAddressOption())
    .addHelpText('after', BUILDER_EXAMPLES)
    .action(async (options: BuilderOptions) => {
      const { builderCommand } = await import('./builder-command.ts');
      exit(await builderCommand(options, { ports, version }));
    });
  return addMetricsOptions(command);
}

type StepHelp = { readonly summary: string; readonly description: string; readonly example: string };

const STEP_HELP: { readonly [step in BuildPodStep]: StepHelp } = {
  'build-image': {
    summary: 'in a build pod: build the image',
    description:
      'The container image-build of a build pod. Writes the build context from the volumes of the pod (the Containerfile, the rendered config, CAs) and runs buildah bud with the credentials for base images. RUN steps are run without the credentials for pushing and without a token of the cluster.',
    example: 'kubectl logs -n openshift-machine-config-operator job/build-NAME -c image-build -f',
  },
  'push-image': {
    summary: 'in a build pod: push the image',
    description:
      'The container image-push of a build pod: buildah push of the image that image-build left in the storage of the pod, to $TAG. The only container that has the credentials for pushing. Writes the digest of the image to /tmp/done/digestfile.',
    example: 'kubectl logs -n openshift-machine-config-operator job/build-NAME -c image-push -f',
  },
  'create-digest-configmap': {
    summary: 'in a build pod: report the digest of the image',
    description:
      'The container create-digest-configmap of a build pod: writes the digest of the pushed image to the ConfigMap $DIGEST_CONFIGMAP_NAME, where the builder finds it. The only container that has a token of the cluster.',
    example: 'kubectl get configmap -n openshift-machine-config-operator digest-NAME -o yaml',
  },
};

/** The containers of build pods, in their order. Their input is the environment and the volumes of the pod. */
export function createBuildPodCommands(program: Command, { ports, exit }: Context): readonly Command[] {
  return BUILD_POD_STEPS.map((step) => {
    const { summary, description, example } = STEP_HELP[step];
    const command = new Command(step)
      .copyInheritedSettings(program)
      .summary(summary)
      .description(description)
      .usage('[OPTIONS]')
      .option('--stop-with-stdin', 'stop when stdin is closed, with the process that holds its other end');
    if (step === 'create-digest-configmap') {
      command.option(
        '--kubeconfig <FILE>',
        'use the current context of this kubeconfig (default: in-cluster config)',
      );
    }
    return command
      .addHelpText('after', buildPodExamples(example))
      .action(async (options: BuildPodOptions) => {
        const { buildPodCommand } = await import('./build-pod-command.ts');
        exit(await buildPodCommand(step, options, ports));
      });
  });
}

const BUILD_POD_STEPS: readonly BuildPodStep[] = ['build-image', 'push-image', 'create-digest-configmap'];

function buildPodExamples(example: string): string {
  return `
Logs to stderr; the last line of a failure is its cause. Ctrl-C or SIGTERM stops it with everything
that it has started.

Exit codes: 0 done; 1 it failed; 2 invalid command line, or not in a build pod; 70 internal error;
143 stopped.

Examples:
  ${example}`;
}

const BUILDER_EXAMPLES = `
Exit codes: 0 stopped on request; 2 no API server configured or reachable, the image of the build pods
is not known, or leadership was lost and work did not end in time (the Deployment restarts the
container); 70 internal error.

Examples:
  millwright builder                                          in a pod
  millwright builder --build-timeout 2h
  millwright builder --kubeconfig .millwright/kubeconfig --builder-image registry.example/builder:1`;
