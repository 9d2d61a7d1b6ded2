/** What comes in and what goes out, alike on every chart. */
export const chartColours = {
  light: { in: '#0a776c', out: '#b26a00', grid: '#e6ecec', text: '#566361' },
  dark: { in: '#3caf9f', out: '#e5a948', grid: '#222c2f', text: '#9badae' },
};
