/*
 * Draws a line chart as SVG, without scripts or embedded fonts; it follows the reader's light or
 * dark theme.
 */
export interface Chart {
  title: string;
  /** The unit of the values, shown above the axis. */
  unit: string;
  /** The labels of the steps, from left to right. */
  labels: readonly string[];
  /** At most as many series as there are colours; each has a value for each label. */
  series: readonly { name: string; values: readonly number[] }[];
}

const width = 720;
const plot = { left: 64, right: 24, top: 64, height: 220 };
const legendLine = 22;
// Dashes tell the lines apart without colour.
const lines = [
  { colour: '#1f6feb', dash: '' },
  { colour: '#bf4b00', dash: '6 3' },
  { colour: '#1a7f37', dash: '2 3' },
  { colour: '#8250df', dash: '8 3 2 3' },
  { colour: '#b0206a', dash: '1 3' },
  { colour: '#7d6608', dash: '12 4' },
  { colour: '#0b7285', dash: '4 4' },
] as const;

export const colours = lines.map(({ colour }) => colour);

export function drawChart({ title, unit, labels, series }: Chart): string {
  if (series.length > lines.length) throw new Error(`at most ${lines.length} lines fit a chart`);
  const bottom = plot.top + plot.height;
  const height = bottom + 40 + Math.ceil(series.length / 2) * legendLine + 8;
  const top = roundUp(Math.max(...series.flatMap(({ values }) => values), 0));
  const x = (index: number) =>
    round(
      plot.left +
        (labels.length < 2 ? 0.5 : (index / (labels.length - 1)) * 0.92 + 0.04) *
          (width - plot.left - plot.right),
    );
  const y = (value: number) => round(bottom - (value / top) * plot.height);
  const text = (at: [number, number], words: string, more = '') =>
    `<text x="${at[0]}" y="${at[1]}" fill="#1f2328" ${more}>${escapeText(words)}</text>`;
  const grid = [0, 0.25, 0.5, 0.75, 1].flatMap((share) => [
    `<line class="grid" x1="${plot.left}" x2="${width - plot.right}" y1="${y(top * share)}" y2="${y(top * share)}" stroke="#d0d7de"/>`,
    text([plot.left - 8, y(top * share) + 4], showNumber(top * share), 'text-anchor="end"'),
  ]);
  const steps = labels.map((label, index) =>
    text([x(index), bottom + 20], label, 'text-anchor="middle"'),
  );
  const drawn = series.flatMap(({ name, values }, index) => {
    const { colour, dash } = lines[index] as (typeof lines)[number];
    const points = values.map((value, at) => `${x(at)},${y(value)}`);
    const stroke = `class="s${index}" stroke="${colour}"`;
    const legendX = plot.left + (index % 2) * ((width - plot.left) / 2);
    const legendY = bottom + 48 + Math.floor(index / 2) * legendLine;
    return [
      `<polyline ${stroke} fill="none" stroke-width="2" stroke-dasharray="${dash}" points="${points.join(' ')}"/>`,
      ...points.map((point, at) => {
        const [cx, cy] = point.split(',');
        return `<circle ${stroke} cx="${cx}" cy="${cy}" r="3" fill="none" stroke-width="2"><title>${escapeText(`${name}, ${labels[at]}: ${showNumber(values[at] ?? 0)}`)}</title></circle>`;
      }),
      `<line ${stroke} stroke-width="2" stroke-dasharray="${dash}" x1="${legendX}" x2="${legendX + 28}" y1="${legendY - 4}" y2="${legendY - 4}"/>`,
      text([legendX + 36, legendY], name),
    ];
  });
  return frame({ width, height, title }, [
    text([plot.left, 26], title, 'font-size="16" font-weight="600"'),
    text([plot.left, 48], unit),
    ...grid,
    ...steps,
    ...drawn,
  ]);
}

/** Puts a drawing on a panel in the colours of the reader's theme. */
export function frame(
  { width, height, title }: { width: number; height: number; title: string },
  drawn: readonly string[],
): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="system-ui, sans-serif" font-size="13">`,
    `<title>${escapeText(title)}</title>`,
    `<style>@media (prefers-color-scheme: dark) { .panel { fill: #0d1117 } text { fill: #e6edf3 } .grid { stroke: #3d444d } ${darkLines()} }</style>`,
    `<rect class="panel" width="${width}" height="${height}" rx="6" fill="#ffffff"/>`,
    ...drawn,
    '</svg>',
    '',
  ].join('\n');
}

function darkLines(): string {
  const dark = ['#58a6ff', '#ff9b50', '#56d364', '#d2a8ff', '#ff7eb6', '#e3b341', '#5ed3e0'];
  return dark
    .map((colour, index) => `.s${index} { stroke: ${colour} } .b${index} { fill: ${colour} }`)
    .join(' ');
}

/** Rounds up to one of these digits with zeros, whose quarters are short numbers. */
export function roundUp(value: number): number {
  if (value <= 0) return 1;
  const ten = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 3, 4, 5, 6, 8].find((first) => first * ten >= value) ?? 10) * ten;
}

const round = (value: number) => Math.round(value * 10) / 10;

export function showNumber(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en');
}

export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
