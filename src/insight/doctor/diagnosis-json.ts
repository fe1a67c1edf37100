/**
 * A diagnosis as JSON, in the form of docs/schemas/doctor.schema.json. Fields are only added, never renamed: scripts rely on them.
 */
import type { Diagnosis, Subject } from './diagnose.ts';
import type { Finding } from './finding.ts';
import { sectionOf } from './section.ts';

type FindingJson = Finding & {
  /** Where the documentation explains the code. */
  readonly documentation: string;
};

type DiagnosisJson = {
  readonly now: string;
  readonly subject?: Subject;
  readonly verdict: 'healthy' | 'blocked';
  readonly cause?: FindingJson;
  readonly others: readonly FindingJson[];
  readonly unread: readonly string[];
};

/** `unread`: plurals of kinds that could not be read. */
export function diagnosisJson(diagnosis: Diagnosis, unread: readonly string[]): DiagnosisJson {
  const { now, subject, isBlocked, top, others } = diagnosis;
  return {
    now,
    ...(subject === undefined ? {} : { subject }),
    verdict: isBlocked ? 'blocked' : 'healthy',
    ...(top === undefined ? {} : { cause: documented(top) }),
    others: others.map(documented),
    unread,
  };
}

/** In this order. */
function documented({
  code,
  stage,
  severity,
  cause,
  about,
  pools,
  since,
  evidence,
  next,
  also,
}: Finding): FindingJson {
  return {
    ...{ code, stage, severity, cause, about, pools },
    ...(since === undefined ? {} : { since }),
    ...{ evidence, next },
    ...(also === undefined ? {} : { also }),
    documentation: sectionOf(code),
  };
}
