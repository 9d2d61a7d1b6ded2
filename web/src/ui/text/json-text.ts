const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * Formats JSON on many lines. Numbers keep their digits: parsing would change those with more
 * digits than a JavaScript number has. Invalid JSON stays as it is.
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
      // The first entry of an object or list starts a new line.
      if (before === '{' || before === '[') out += line();
      out += one.startsWith('"') ? JSON.stringify(JSON.parse(one)) : one;
      if (one === '{' || one === '[') depth += 1;
      else if (one === ',') out += line();
      else if (one === ':') out += ' ';
    }
  }
  return out;
}
