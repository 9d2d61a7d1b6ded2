const maxNamed = 8;

/** Returns the names of the routes in a list such as "1-3,7"; only the first few of a long list. */
export function askedRoutes(
  list: string,
  words: { route: (id: number) => string; more: (count: number) => string },
): string {
  const ranges = list.split(',').map((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return { first, count: last - first + 1 };
  });
  const named: string[] = [];
  for (const { count, first } of ranges) {
    for (let at = 0; at < count && named.length < maxNamed; at += 1) {
      named.push(words.route(first + at));
    }
  }
  const left = ranges.reduce((sum, { count }) => sum + count, 0) - named.length;
  return [...named, ...(left > 0 ? [words.more(left)] : [])].join(', ');
}
