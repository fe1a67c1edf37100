/**
 * Who may read the metrics over the network: the API server decides. The token of the request is authenticated by a TokenReview, and
 * its user needs `get` of the non-resource URL `/metrics` (SubjectAccessReview), as for the metrics of Kubernetes' own components.
 *
 * Answers are kept for a short time, by a digest of the token. Whoever sends many tokens gets 429, and costs the API server no more than
 * a few requests at a time.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../../base/env.ts';
import { isObject } from '../../base/json.ts';
import { objectAt, stringAt, stringsAt, valueAt } from '../../base/json-fields.ts';
import { withinLimit } from '../../base/waiting.ts';
import type { Transport } from '../../kubernetes/client/index.ts';

export type Access = { readonly code: 200 | 401 | 403 | 429 | 503; readonly message: string };

type MetricsAccessOptions = {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly userAgent: string;
};

const PATH = '/metrics';
const GRANTED: Access = { code: 200, message: '' };
/** A permission that was withdrawn ends within this. */
const GRANTED_MS = 60_000;
/** A permission that was just given should not have to wait long. */
const REFUSED_MS = 10_000;
const ANSWER_MS = 5_000;
const MAX_KEPT = 100;
const MAX_ASKED = 4;
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Longer than any token of Kubernetes. */
const MAX_TOKEN_LENGTH = 16 * 1024;

export class MetricsAccess {
  readonly #options: MetricsAccessOptions;
  /** By digest of the token, oldest first. */
  readonly #kept = new Map<string, { readonly access: Access; readonly untilMs: number }>();
  readonly #asked = new Map<string, Promise<Access>>();

  constructor(options: MetricsAccessOptions) {
    this.#options = options;
  }

  /** `authorization`: the header of the request. Never rejects. */
  async check(authorization: string | undefined): Promise<Access> {
    const token = /^Bearer +([^ ]+)$/i.exec(authorization ?? '')?.[1] ?? '';
    if (token === '' || token.length > MAX_TOKEN_LENGTH) return UNKNOWN;
    const key = createHash('sha256').update(token).digest('base64');
    const kept = this.#kept.get(key);
    if (kept !== undefined && this.#options.clock.monotonic() < kept.untilMs) return kept.access;
    const asked = this.#asked.get(key);
    if (asked !== undefined) return await asked;
    if (this.#asked.size >= MAX_ASKED) return { code: 429, message: 'too many tokens at a time\n' };
    const asking = this.#ask(token).finally(() => this.#asked.delete(key));
    this.#asked.set(key, asking);
    const access = await asking;
    if (access.code !== 503) this.#keep(key, access);
    return access;
  }

  #keep(key: string, access: Access): void {
    const lastsMs = access.code === 200 ? GRANTED_MS : REFUSED_MS;
    this.#kept.delete(key);
    this.#kept.set(key, { access, untilMs: this.#options.clock.monotonic() + lastsMs });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  async #ask(token: string): Promise<Access> {
    try {
      const review = await this.#send('authentication.k8s.io', 'TokenReview', { token });
      if (valueAt(review, 'authenticated') !== true) return UNKNOWN;
      const user = objectAt(review, 'user');
      const answer = await this.#send('authorization.k8s.io', 'SubjectAccessReview', {
        user: stringAt(user, 'username'),
        uid: stringAt(user, 'uid'),
        groups: stringsAt(user, 'groups'),
        extra: objectAt(user, 'extra') ?? {},
        nonResourceAttributes: { path: PATH, verb: 'get' },
      });
      if (valueAt(answer, 'allowed') === true) return GRANTED;
      const who = JSON.stringify(stringAt(user, 'username'));
      return { code: 403, message: `user ${who} may not get the non-resource URL ${PATH}\n` };
    } catch {
      // The error could quote the token.
      return { code: 503, message: 'the API server cannot be asked whether you may read this\n' };
    }
  }

  /** The status of the review. */
  async #send(group: string, kind: string, spec: object): Promise<object> {
    const { transport, clock, userAgent } = this.#options;
    const ending = new AbortController();
    const exchange = async () => {
      const response = await transport.send({
        method: 'POST',
        path: `/apis/${group}/v1/${kind.toLowerCase()}s`,
        query: '',
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          'user-agent': userAgent,
        },
        body: new TextEncoder().encode(JSON.stringify({ apiVersion: `${group}/v1`, kind, spec })),
        signal: ending.signal,
      });
      return { status: response.status, answer: JSON.parse(await readText(response.body)) };
    };
    try {
      const outcome = await withinLimit(clock, { promise: exchange(), limitMs: ANSWER_MS });
      if (outcome.kind !== 'settled') throw new Error('no answer in time');
      const { status, answer } = outcome.value;
      const found = isObject(answer) ? objectAt(answer, 'status') : undefined;
      if (status >= 300 || found === undefined) throw new Error('no answer to the review');
      return found;
    } finally {
      ending.abort();
    }
  }
}

const UNKNOWN: Access = { code: 401, message: 'a token of the cluster is needed: Authorization: Bearer …\n' };

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
