const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * JSON on many lines. Numbers stay as they are written: reading and writing them again would
 * change those with more digits than a number of JavaScript has. What is no JSON stays as it is.
 */
export function indented(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  const tokens = text.match(token) ?? [];
  let out = '';
  let depth = 0;
  const line = () => `\n${'  '.repeat(depth)}`;
  for (const [index, one] of tokens.entries()) {
    const before = tokens[index - 1] ?? '';
    if (one === '}' || one === ']') {
      depth -= 1;
      out += before === '{' || before === '[' ? one : line() + one;
    } else {
      // The first of an object or a list stands on a line of its own.
      if (before === '{' || before === '[') out += line();
      out += one.startsWith('"') ? JSON.stringify(JSON.parse(one)) : one;
      if (one === '{' || one === '[') depth += 1;
      else if (one === ',') out += line();
      else if (one === ':') out += ' ';
    }
  }
  return out;
}
