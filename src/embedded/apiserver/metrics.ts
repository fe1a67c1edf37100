/** `/metrics`: counts of requests and sizes of the server, in the text format of Prometheus. */
import { compareBytes } from '../../base/json.ts';

type RequestLabels = {
  readonly verb: string;
  /** Empty for non-resource paths. */
  readonly resource: string;
  readonly code: number;
};

/** Resource names come from clients and must not fill the memory. */
const MAX_SERIES = 10_000;

export class Metrics {
  readonly #requests = new Map<string, number>();

  count({ verb, resource, code }: RequestLabels): void {
    const key = `{verb="${escaped(verb)}",resource="${escaped(resource)}",code="${code}"}`;
    const known = this.#requests.get(key);
    if (known === undefined && this.#requests.size >= MAX_SERIES) return;
    this.#requests.set(key, (known ?? 0) + 1);
  }

  text(gauges: { readonly [name: string]: { readonly help: string; readonly value: number } }): string {
    const requests = [...this.#requests].sort(([a], [b]) => compareBytes(a, b));
    return [
      '# HELP apiserver_request_total Requests by verb, resource and the code of their answer.',
      '# TYPE apiserver_request_total counter',
      ...requests.map(([labels, count]) => `apiserver_request_total${labels} ${count}`),
      ...Object.entries(gauges).flatMap(([name, { help, value }]) => [
        `# HELP ${name} ${help}`,
        `# TYPE ${name} gauge`,
        `${name} ${value}`,
      ]),
      '',
    ].join('\n');
  }
}

function escaped(text: string): string {
  return text.replace(/[\\"\n]/g, (found) => (found === '\n' ? '\\n' : `\\${found}`));
}
