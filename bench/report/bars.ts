/* Draws horizontal bars as SVG, in the style of the line charts. */
import { colours, escapeText, frame, roundUp, showNumber } from './chart.ts';

export interface Bars {
  title: string;
  unit: string;
  /** The name of each group of bars, from top to bottom. */
  labels: readonly string[];
  /** Each has a value for each label. */
  series: readonly { name: string; values: readonly number[] }[];
}

const width = 720;
const plot = { left: 200, right: 70, top: 64 };
const bar = { height: 12, gap: 10 };

export function drawBars({ title, unit, labels, series }: Bars): string {
  const group = series.length * bar.height + bar.gap;
  const bottom = plot.top + labels.length * group;
  const most = roundUp(Math.max(...series.flatMap(({ values }) => values), 0));
  const length = (value: number) =>
    Math.round((value / most) * (width - plot.left - plot.right) * 10) / 10;
  const text = (x: number, y: number, words: string, more = '') =>
    `<text x="${x}" y="${y}" fill="#1f2328" ${more}>${escapeText(words)}</text>`;
  const drawn = labels.flatMap((label, at) => {
    const top = plot.top + at * group;
    const middle = top + (series.length * bar.height) / 2 + 4;
    return [
      text(plot.left - 8, middle, label, 'text-anchor="end"'),
      ...series.flatMap(({ name, values }, index) => {
        const value = values[at] ?? 0;
        const y = top + index * bar.height;
        // No bar for what does not exist, such as the database server of SQLite.
        if (value === 0) return [];
        return [
          `<rect class="b${index}" x="${plot.left}" y="${y}" width="${length(value)}" height="${bar.height - 1}" fill="${colours[index]}"><title>${escapeText(`${label}, ${name}: ${showNumber(value)}`)}</title></rect>`,
          text(
            plot.left + length(value) + 6,
            y + bar.height - 2,
            showNumber(value),
            'font-size="11"',
          ),
        ];
      }),
    ];
  });
  const legend = series.flatMap(({ name }, index) => [
    `<rect class="b${index}" x="${plot.left + index * 130}" y="${bottom + 6}" width="12" height="12" fill="${colours[index]}"/>`,
    text(plot.left + index * 130 + 18, bottom + 16, name),
  ]);
  return frame({ width, height: bottom + 32, title }, [
    text(24, 26, title, 'font-size="16" font-weight="600"'),
    text(24, 48, unit),
    ...drawn,
    ...legend,
  ]);
}
