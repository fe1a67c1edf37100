/**
 * Scheduling constraints of a pod.
 */
import { labelSelector } from '../../meta/index.ts';
import {
  type Infer,
  int32,
  int64,
  named,
  oneOf,
  pointer,
  required,
  type Schema,
  string,
  struct,
} from '../../schema/index.ts';
import { always, items, strings } from '../fields.ts';

export const taintEffects = ['NoExecute', 'NoSchedule', 'PreferNoSchedule'] as const;

const nodeRequirement = struct(
  'core.NodeSelectorRequirement',
  'A requirement on one label or field of the node.',
  {
    key: required(string('The label or field.')),
    operator: required(
      named(
        'core.NodeSelectorOperator',
        oneOf('How to compare.', ['DoesNotExist', 'Exists', 'Gt', 'In', 'Lt', 'NotIn']),
      ),
    ),
    values: strings(
      'The values for In and NotIn, one number for Gt and Lt, none for the others.',
      'A value.',
    ),
  },
);

const nodeSelectorTerm = (description: string) =>
  struct(
    'core.NodeSelectorTerm',
    description,
    {
      matchExpressions: items('Requirements on labels, all of which must hold.', nodeRequirement),
      matchFields: items('Demands on fields, all of which must hold.', nodeRequirement),
    },
    { atomic: true },
  );
export type NodeSelectorTerm = Infer<ReturnType<typeof nodeSelectorTerm>>;

const nodeAffinity = struct('core.NodeAffinity', 'The required and preferred nodes.', {
  requiredDuringSchedulingIgnoredDuringExecution: struct(
    'core.NodeSelector',
    'The nodes that the pod may run on.',
    {
      nodeSelectorTerms: required(
        items('Alternatives, of which one must hold.', nodeSelectorTerm('An alternative.')),
      ),
    },
    { atomic: true },
  ),
  preferredDuringSchedulingIgnoredDuringExecution: items(
    'The nodes that the pod should run on.',
    struct('core.PreferredSchedulingTerm', 'A weighted preference.', {
      weight: required(int32('How much it counts, from 1 to 100.')),
      preference: always(nodeSelectorTerm('For which nodes.')),
    }),
  ),
});

const podAffinityTerm = (description: string) =>
  struct('core.PodAffinityTerm', description, {
    topologyKey: required(string('The label of the topology domain, such as the zone.')),
    labelSelector: labelSelector('Which pods.'),
    namespaces: strings('In which namespaces; in that of the pod unless given.', 'A namespace.'),
    namespaceSelector: labelSelector('In which further namespaces; an empty one means all.'),
    matchLabelKeys: strings('Labels of the new pod that the others must share.', 'A label.'),
    mismatchLabelKeys: strings('Labels of the new pod that the others must not share.', 'A label.'),
  });

const podAffinityOf = (goType: string, description: string, place: string) =>
  struct(goType, description, {
    requiredDuringSchedulingIgnoredDuringExecution: items(
      `Demanded: ${place}.`,
      podAffinityTerm('Such pods.'),
    ),
    preferredDuringSchedulingIgnoredDuringExecution: items(
      `Liked: ${place}.`,
      struct('core.WeightedPodAffinityTerm', 'A weighted preference.', {
        weight: required(int32('How much it counts, from 1 to 100.')),
        podAffinityTerm: always(podAffinityTerm('For which pods.')),
      }),
    ),
  });

const affinityShape = struct('core.Affinity', 'The scheduling constraints of the pod.', {
  nodeAffinity,
  podAffinity: podAffinityOf('core.PodAffinity', 'Pods to be near to.', 'a place where such pods run'),
  podAntiAffinity: podAffinityOf(
    'core.PodAntiAffinity',
    'Pods to stay away from.',
    'a place where no such pod runs',
  ),
});
export type Affinity = {
  readonly [Field in keyof Infer<typeof affinityShape>]: Infer<typeof affinityShape>[Field];
};
export const affinity: Schema<Affinity> = affinityShape;

const tolerationShape = struct(
  'core.Toleration',
  'A toleration of taints; omitted fields match all taints.',
  {
    key: string('The key of the taint.'),
    operator: named(
      'core.TolerationOperator',
      oneOf('Whether the value counts; Equal unless given.', ['Equal', 'Exists']),
    ),
    value: string('The value of the taint.'),
    effect: named('core.TaintEffect', oneOf('The effect of the taint.', taintEffects)),
    tolerationSeconds: pointer(
      int64('How long the pod may stay under a NoExecute taint; for ever unless given.'),
    ),
  },
);
export type Toleration = {
  readonly [Field in keyof Infer<typeof tolerationShape>]: Infer<typeof tolerationShape>[Field];
};
export const toleration: Schema<Toleration> = tolerationShape;

export const topologySpreadConstraint = struct(
  'core.TopologySpreadConstraint',
  'How evenly pods are to be spread.',
  {
    maxSkew: required(int32('The maximum difference in pods between two topology domains.')),
    topologyKey: required(string('The label of the topology domain.')),
    whenUnsatisfiable: required(
      named(
        'core.UnsatisfiableConstraintAction',
        oneOf('The action if the constraint cannot be met.', ['DoNotSchedule', 'ScheduleAnyway']),
      ),
    ),
    labelSelector: labelSelector('Which pods count.'),
    matchLabelKeys: strings('Labels of the new pod that the others must share to count.', 'A label.'),
    minDomains: pointer(int32('The minimum number of topology domains.')),
    nodeAffinityPolicy: pointer(
      named(
        'core.NodeInclusionPolicy',
        oneOf('Whether only nodes count that the pod accepts.', ['Honor', 'Ignore']),
      ),
    ),
    nodeTaintsPolicy: pointer(
      named(
        'core.NodeInclusionPolicy',
        oneOf('Whether only nodes count that accept the pod.', ['Honor', 'Ignore']),
      ),
    ),
  },
);
