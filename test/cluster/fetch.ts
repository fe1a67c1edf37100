/** Requests from a network namespace of the cluster. */
import { runTool } from '../lab/run-tool.ts';

export type Fetched = { readonly status: number; readonly text: string };

/** `enter`: the beginning of a command in the namespace. The headers are no arguments, which everybody could read. */
export async function fetchFrom(
  enter: readonly string[],
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<Fetched> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`);
  const flags = ['--silent', '--show-error', '--insecure', '--header', '@-', '--write-out', '\n%{http_code}'];
  const output = await runTool([...enter, 'curl', ...flags, url], { input: lines.join('') });
  const end = output.lastIndexOf('\n');
  return { status: Number(output.slice(end + 1)), text: output.slice(0, end) };
}
