/** Returns the smaller amount within `npm run bench -- all`, which must end within a quarter of an hour. */
export function quick<T>(usual: T, smaller: T): T {
  return isQuick ? smaller : usual;
}

export const isQuick = process.env['BENCH_QUICK'] === '1';
