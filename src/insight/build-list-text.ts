/**
 * The builds of OS images as text:
 *
 *     infra  quay.io/example/os@sha256:431b28e65c05
 *         BUILD                                    STATE       AGE   TOOK    SIZE
 *       * infra-431b28e65c05518130d823bafbffe0ce   Succeeded   5m    2m10s   412 MB
 *         infra-699e6be74658adcb3ff2b48f32cd1584   Failed      1h    40s     -
 *           STEP 9/10: RUN install nosuch: exit status 1: install: package nosuch not found
 */
import type { BuildList, BuildSummary, ConfigBuilds } from './build-list.ts';
import { oneLine } from './messages.ts';
import { type Paint, paintWith, type Style } from './paint.ts';
import { shortened } from './shortened.ts';
import { elapsed } from './timestamp.ts';
import { lengthOf, wrapText } from './wrap-text.ts';

type TextOptions = { readonly width: number; readonly hasColors: boolean };
type Canvas = { readonly width: number; readonly paint: Paint; readonly now: string };

const MIN_WIDTH = 40;
const GAP = 3;
const MAX_MESSAGE_CHARS = 600;
const HEADINGS = ['BUILD', 'STATE', 'AGE', 'TOOK', 'SIZE'] as const;

export function buildListText({ configs, now }: BuildList, options: TextOptions): readonly string[] {
  const canvas = { width: Math.max(MIN_WIDTH, options.width), paint: paintWith(options.hasColors), now };
  if (configs.length === 0) return ['no MachineOSConfigs: no pool builds its OS image'];
  return configs.flatMap((config, index) => [...(index === 0 ? [] : ['']), ...configLines(config, canvas)]);
}

function configLines(config: ConfigBuilds, canvas: Canvas): readonly string[] {
  const { name, pool, image, problem, builds } = config;
  const title = name === pool ? name : `${name} (pool ${pool})`;
  const room = Math.max(MIN_WIDTH, canvas.width - lengthOf(title) - 2);
  const head = `${canvas.paint('bold', title)}  ${shortened(oneLine(image ?? 'no image yet'), room)}`;
  const why = problem === undefined ? [] : message(`${problem.reason}: ${problem.message}`, canvas, 4);
  return [head, ...why, ...(builds.length === 0 ? ['    no builds'] : tableLines(builds, canvas))];
}

const STYLES: { readonly [state in BuildSummary['state']]: Style } = {
  New: 'dim',
  Prepared: 'busy',
  Building: 'busy',
  Succeeded: 'good',
  Failed: 'bad',
  Interrupted: 'bad',
  Deleting: 'dim',
};

function tableLines(builds: readonly BuildSummary[], canvas: Canvas): readonly string[] {
  const rows = builds.map((build) => cellsOf(build, canvas));
  const widths = HEADINGS.map((heading, column) =>
    Math.max(lengthOf(heading), ...rows.map((cells) => lengthOf(cells[column] ?? ''))),
  );
  const line = (cells: readonly string[], style?: Style) =>
    cells
      .map((cell, column) => {
        const text = column === cells.length - 1 ? cell : cell.padEnd((widths[column] ?? 0) + GAP);
        return style !== undefined && column === 1 ? canvas.paint(style, text) : text;
      })
      .join('');
  return [
    `    ${canvas.paint('dim', line(HEADINGS))}`,
    ...builds.flatMap((build, index) => [
      `  ${build.isCurrent ? '*' : ' '} ${line(rows[index] ?? [], STYLES[build.state])}`,
      ...(build.why === undefined ? [] : message(build.why, canvas, 6)),
    ]),
  ];
}

function cellsOf({ name, state, created, started, ended, bytes }: BuildSummary, { now }: Canvas) {
  const isRunning = state === 'Prepared' || state === 'Building';
  const end = ended ?? (isRunning ? now : undefined);
  const took = end === undefined ? undefined : elapsed(started, end);
  return [name, state, elapsed(created, now) ?? '-', took ?? '-', sizeText(bytes)];
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** In powers of ten, as container tools print it. */
export function sizeText(bytes: number | undefined): string {
  if (bytes === undefined) return '-';
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const text = value >= 100 || unit === 0 ? Math.round(value).toString() : value.toPrecision(3);
  return `${text} ${UNITS[unit]}`;
}

function message(text: string, { width, paint }: Canvas, indent: number): readonly string[] {
  const short = shortened(oneLine(text), MAX_MESSAGE_CHARS);
  return wrapText(short, width - indent).map((line) => `${' '.repeat(indent)}${paint('bad', line)}`);
}
