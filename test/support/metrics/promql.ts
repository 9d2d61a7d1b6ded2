/* As much of PromQL as tells a whole expression from a broken one, and which series it names. */

export interface NamedSeries {
  name: string;
  /** Of its matchers, and of the aggregation around it. */
  labels: string[];
}

const functions = new Set(
  'rate increase histogram_quantile max_over_time clamp_min time absent abs ceil'.split(' '),
);
const aggregations = new Set('sum max min avg count topk'.split(' '));
const operators = new Set('+ - * / % ^ == != > < >= <= and or unless'.split(' '));
const tokenPattern =
  /\s*(?:("(?:[^"\\]|\\.)*")|([a-zA-Z_:][\w:]*)|(\$?\d+(?:\.\d+)?(?:ms|[smhdwy])?)|(\[(?:\d+[smhd]|\$__\w+)\])|(==|!=|>=|<=|=~|!~|[-+*/%^<>=(){},]))/y;

/** '' for a whole expression. */
export function promqlProblem(expression: string): string {
  try {
    parse(expression, () => {});
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

export function seriesIn(expression: string): NamedSeries[] {
  const found: NamedSeries[] = [];
  parse(expression, (series) => found.push(series));
  return found;
}

function tokensOf(expression: string): string[] {
  const tokens: string[] = [];
  tokenPattern.lastIndex = 0;
  const text = expression.trim();
  while (tokenPattern.lastIndex < text.length) {
    const at = tokenPattern.lastIndex;
    const match = tokenPattern.exec(text);
    if (!match) throw new Error(`not PromQL: ${text.slice(at)}`);
    tokens.push(match[0].trim());
  }
  return tokens;
}

function parse(expression: string, onSeries: (series: NamedSeries) => void): void {
  const tokens = tokensOf(expression);
  let at = 0;
  const next = () => tokens[at] ?? '';
  const take = (wanted?: string): string => {
    const token = next();
    if (token === '' || (wanted !== undefined && token !== wanted)) {
      throw new Error(`expected ${wanted ?? 'more'}, found ${token || 'the end'}`);
    }
    at++;
    return token;
  };

  function labelList(): string[] {
    const labels: string[] = [];
    take('(');
    while (next() !== ')') {
      labels.push(take());
      if (next() !== ')') take(',');
    }
    take(')');
    return labels;
  }

  function whole(grouped: readonly string[]): void {
    operand(grouped);
    while (operators.has(next())) {
      take();
      if (next() === 'on' || next() === 'ignoring') {
        take();
        labelList();
      }
      operand(grouped);
    }
  }

  function listOf(grouped: readonly string[]): void {
    take('(');
    while (next() !== ')') {
      whole(grouped);
      if (next() !== ')') take(',');
    }
    take(')');
  }

  function operand(grouped: readonly string[]): void {
    const token = take();
    if (token === '(') {
      whole(grouped);
      take(')');
    } else if (aggregations.has(token)) {
      if (next() === 'by' || next() === 'without') take();
      const isGrouped = ['by', 'without'].includes(tokens[at - 1] ?? '');
      listOf(isGrouped ? [...grouped, ...labelList()] : grouped);
    } else if (functions.has(token)) listOf(grouped);
    else if (/^[a-zA-Z_:]/.test(token)) {
      if (next() === '(') throw new Error(`unknown function ${token}`);
      series(token, grouped);
    } else if (!/^\d/.test(token)) throw new Error(`unexpected ${token}`);
  }

  function series(name: string, grouped: readonly string[]): void {
    const labels: string[] = [];
    if (next() === '{') {
      take();
      while (next() !== '}') {
        labels.push(take());
        if (!['=', '!=', '=~', '!~'].includes(take())) throw new Error(`no matcher in ${name}`);
        if (!take().startsWith('"')) throw new Error(`a label of ${name} is not quoted`);
        if (next() !== '}') take(',');
      }
      take('}');
    }
    if (next().startsWith('[')) take();
    onSeries({ name, labels: [...labels, ...grouped] });
  }

  whole([]);
  if (at < tokens.length) throw new Error(`unexpected ${next()}`);
}
