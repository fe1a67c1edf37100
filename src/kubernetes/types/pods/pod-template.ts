/**
 * The pod template of workloads.
 */
import { type Infer, type Schema, struct } from '../../schema/index.ts';
import { filled, present } from '../fields.ts';
import { templateMeta } from '../object-meta.ts';
import { podSpec } from './pod-spec.ts';

const podTemplateShape = struct('core.PodTemplateSpec', 'The template of the pods.', {
  metadata: filled(templateMeta),
  spec: present(podSpec),
});
export type PodTemplateSpec = {
  readonly [Field in keyof Infer<typeof podTemplateShape>]: Infer<typeof podTemplateShape>[Field];
};
export const podTemplate: Schema<PodTemplateSpec> = podTemplateShape;
