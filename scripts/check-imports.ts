// Checks the import rules: reads the imports of all our files, and finds what a rule forbids, files
// that do not exist, and cycles. The type check finds packages and names that do not exist.
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { type ImportRule, importRules } from './import-rules.ts';

interface Import {
  from: string;
  /** A path from the root; the name of a package or of a module of Node; empty if it is computed. */
  to: string;
  isOfTypes: boolean;
  isLocal: boolean;
}

/**
 * The folders with about half of the imports that each has. It guards against a change by which nothing is
 * read, and so nothing is found.
 */
const fewestImports = {
  src: 3_000,
  'sandbox/src': 450,
  bin: 4,
  'web/src': 2_000,
  test: 2_500,
  bench: 120,
  scripts: 50,
};
const folders = Object.keys(fewestImports);
/** What a rule must be able to read; tools and tests also load what they are told to. */
const program = /^(src|sandbox|web)\//;

export function checkImports(
  root: string,
  rules: readonly ImportRule[] = importRules,
  fewest: Record<string, number> = fewestImports,
): { problems: string[]; modules: number; imports: number } {
  const modules = globSync(`{${folders.join(',')}}/**/*.{ts,tsx,js}`, {
    cwd: root,
    exclude: (name) => name === 'node_modules',
  })
    .map((file) => file.replaceAll(path.sep, '/'))
    .sort();
  const imports = modules.flatMap((file) => importsOf(root, file));
  const ours = imports.filter(({ isLocal }) => isLocal);
  const missing = ours
    .filter(({ to }) => !existsSync(path.join(root, to)))
    .map(({ from, to }) => `${from} imports ${to}, which does not exist`);
  const unread = Object.entries(fewest).flatMap(([folder, least]) => {
    const read = imports.filter(({ from }) => from.startsWith(`${folder}/`)).length;
    return read < least ? [`only ${read} imports of ${folder} were read`] : [];
  });
  const unnamed = imports
    .filter(({ from, to }) => to === '' && program.test(from))
    .map(({ from }) => `${from} imports a file whose name only running it tells`);
  const problems = [
    ...unread,
    ...unnamed,
    ...missing,
    ...brokenRules(rules, imports),
    ...cyclesIn(ours),
  ];
  return { problems, modules: modules.length, imports: imports.length };
}

function importsOf(root: string, from: string): Import[] {
  const source = readFileSync(path.join(root, from), 'utf8');
  const parsed = parseSync(from, source);
  const { errors, module } = parsed;
  if (errors.length > 0) throw new Error(`${from} cannot be parsed: ${errors[0]?.message}`);
  const { dynamicImports, staticExports, staticImports } = module;
  // `import { type A }` is no import of types alone, because it runs the other file.
  const isOfTypes = (start: number) => /^(?:import|export)\s+type\b/.test(source.slice(start));
  const found = [
    ...staticImports.map(({ moduleRequest, start }) => ({
      name: moduleRequest.value,
      isOfTypes: isOfTypes(start),
    })),
    ...staticExports.flatMap(({ entries, start }) => {
      const name = entries.find(({ moduleRequest }) => moduleRequest)?.moduleRequest?.value;
      return name === undefined ? [] : [{ name, isOfTypes: isOfTypes(start) }];
    }),
    ...dynamicImports.map(({ moduleRequest: { start, end } }) => ({
      name: /^(['"`])([^$]+)\1$/.exec(source.slice(start, end))?.[2] ?? '',
      isOfTypes: false,
    })),
  ];
  // Making the tree takes longer than all else, and few files need it.
  if (/\bimport\(|equire\(/.test(source)) {
    new Visitor({
      TSImportType: (node) => void found.push({ name: node.source.value, isOfTypes: true }),
      CallExpression({ callee, arguments: [name] }) {
        // `createRequire(import.meta.url)('name')`, and what has the name of the result of that.
        const maker = callee.type === 'CallExpression' ? callee.callee : callee;
        if (maker.type !== 'Identifier') return;
        if (maker.name !== (maker === callee ? 'require' : 'createRequire')) return;
        const isText = name?.type === 'Literal' && typeof name.value === 'string';
        found.push({ name: isText ? String(name.value) : '', isOfTypes: false });
      },
    }).visit(parsed.program);
  }
  return found.map(({ name, isOfTypes: ofTypes }) => {
    const isLocal = name.startsWith('.');
    const target = name.replace(/\?.*$/, '');
    const to = isLocal ? path.posix.join(path.posix.dirname(from), target) : name;
    return { from, to, isOfTypes: ofTypes, isLocal };
  });
}

function brokenRules(rules: readonly ImportRule[], imports: readonly Import[]): string[] {
  return rules.flatMap(({ name, comment, from, to }) => {
    const isFrom = matcher(from);
    const isTo = matcher(to);
    return imports
      .filter((one) => !(to.typesAllowed && one.isOfTypes) && isFrom(one.from) && isTo(one.to))
      .map((one) => `${one.from} imports ${one.to}: ${name}${comment ? ` (${comment})` : ''}`);
  });
}

function matcher({ path: wanted, pathNot = [] }: ImportRule['from']): (file: string) => boolean {
  const [some, none] = [wanted, pathNot].map((patterns) =>
    [patterns].flat().map((pattern) => new RegExp(pattern)),
  );
  return (file) =>
    some?.some((pattern) => pattern.test(file)) === true &&
    !none?.some((pattern) => pattern.test(file));
}

/** Names each group of files that import each other, by one path through it. */
function cyclesIn(imports: readonly Import[]): string[] {
  const next = new Map<string, string[]>();
  for (const [from, own] of Map.groupBy(imports, (one) => one.from)) {
    next.set(
      from,
      own.map(({ to }) => to),
    );
  }
  const done = new Set<string>();
  const found: string[] = [];
  for (const start of next.keys()) visit(start);
  return found;

  function visit(start: string): void {
    // The files from `start` to the present one, each with the imports that are left to follow.
    const way: { file: string; left: string[] }[] = [];
    const enter = (file: string) => way.push({ file, left: [...(next.get(file) ?? [])] });
    if (!done.has(start)) enter(start);
    for (let last = way.at(-1); last; last = way.at(-1)) {
      const file = last.left.pop();
      if (file === undefined) {
        done.add(last.file);
        way.pop();
        continue;
      }
      const at = way.findIndex((one) => one.file === file);
      if (at >= 0) {
        const cycle = [...way.slice(at).map((one) => one.file), file];
        found.push(`a cycle: ${cycle.join(' → ')}`);
      } else if (!done.has(file)) enter(file);
    }
  }
}
