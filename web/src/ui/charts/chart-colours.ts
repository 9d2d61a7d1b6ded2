/** A metric has the same colour on every chart. */
export const chartColours = {
  light: {
    in: '#0a776c',
    out: '#b26a00',
    usual: '#2f6fb5',
    slow: '#7d5bb8',
    waiting: '#7d5bb8',
    bad: '#b42318',
    lost: '#b26a00',
    grid: '#e6ecec',
    text: '#566361',
  },
  dark: {
    in: '#3caf9f',
    out: '#e5a948',
    usual: '#6ea8e8',
    slow: '#b197ec',
    waiting: '#b197ec',
    bad: '#f48b80',
    lost: '#e5a948',
    grid: '#222c2f',
    text: '#9badae',
  },
};

export type ChartColour = Exclude<keyof (typeof chartColours)['light'], 'grid' | 'text'>;
