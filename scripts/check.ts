// `npm run check`: format, lint, types, import rules, dead code, documents, lock file.
// One line for each check that passes; the output of those that do not.
import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkDocuments } from './check-documents.ts';
import { checkEndings } from './check-endings.ts';
import { checkImports } from './check-imports.ts';
import { checkNames, checkWords } from './check-words.ts';
import { checkBlocks } from './document-blocks.ts';

interface Outcome {
  ok: boolean;
  output: string;
  /** A remark about a check that passes. */
  note?: string;
}

interface Check {
  name: string;
  run(): Promise<Outcome>;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const resolve = createRequire(path.join(root, 'test', 'package.json')).resolve;

/** Finds the file behind a package's command, which is started with this very Node, on every platform. */
function commandOf(packageName: string, command: string): string {
  const manifestFile = packageFile(packageName);
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as {
    bin: string | Record<string, string>;
  };
  const file = typeof manifest.bin === 'string' ? manifest.bin : manifest.bin[command];
  if (!file) throw new Error(`${packageName} has no command ${command}`);
  return path.join(path.dirname(manifestFile), file);
}

function packageFile(packageName: string): string {
  for (const base of resolve.paths(packageName) ?? []) {
    const file = path.join(base, packageName, 'package.json');
    try {
      readFileSync(file);
      return file;
    } catch {
      // If it is not in this node_modules, the next one up may have it.
    }
  }
  throw new Error(`${packageName} is not installed: run "npm test" once`);
}

function tool(packageName: string, command: string, args: string[]): Promise<Outcome> {
  return new Promise((settle, fail) => {
    const child = spawn(process.execPath, [commandOf(packageName, command), ...args], {
      cwd: root,
      // The type checker, a Go program, keeps most of its memory until it ends: without this, it
      // spends a tenth of its time on looking for garbage.
      env: { GOGC: '400', ...process.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', fail);
    child.on('close', (code) => settle({ ok: code === 0, output }));
  });
}

async function importRules(): Promise<Outcome> {
  const { imports, modules, problems } = checkImports(root);
  const note = `${imports} imports of ${modules} files`;
  return { ok: problems.length === 0, output: problems.join('\n'), note };
}

interface LockedPackage {
  resolved?: string;
  optionalDependencies?: Record<string, string>;
}

/**
 * Checks that the lock file works with any registry and on any platform: it must include the
 * binaries of all platforms.
 */
async function lockFile(): Promise<Outcome> {
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const problems: string[] = [];
  for (const [packagePath, { resolved = '', optionalDependencies = {} }] of Object.entries(
    packages,
  )) {
    if (/^https?:/.test(resolved)) problems.push(`${packagePath} names a host: ${resolved}`);
    for (const name of Object.keys(optionalDependencies)) {
      if (!isLocked(packages, packagePath, name)) problems.push(`${packagePath} misses ${name}`);
    }
  }
  return { ok: problems.length === 0, output: problems.slice(0, 20).join('\n') };
}

/** Looks where npm would: next to the package, then one node_modules up, and so on. */
function isLocked(packages: object, packagePath: string, name: string): boolean {
  for (let folder = packagePath; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    if (Object.hasOwn(packages, path.posix.join(folder, 'node_modules', name))) return true;
    if (folder === '') return false;
  }
}

/** Limits the number of files in a folder, because newcomers find a file by its folder. */
async function folders(): Promise<Outcome> {
  const enough = 25;
  const most = 40;
  const files = globSync('{src,sandbox/src,web/src,test,bench,scripts}/**/*.{ts,tsx,js,css}', {
    cwd: root,
    exclude: (name) => name === 'node_modules',
  }).filter((file) => !(file.startsWith('src') && file.endsWith('.test.ts')));
  // Migrations are numbered and never deleted.
  const counted = files.filter((file) => !/[/\\]migrations[/\\]\d/.test(file));
  const crowded = [...Map.groupBy(counted, (file) => path.dirname(file))]
    .filter(([, inside]) => inside.length > enough)
    .map(([folder, inside]) => ({ folder, files: inside.length }));
  const problems = crowded
    .filter(({ files }) => files > most)
    .map(({ folder, files }) => `${folder} holds ${files} files: at most ${most}`);
  const names = crowded.map(({ folder, files }) => `${folder} ${files}`).join(', ');
  return {
    ok: problems.length === 0,
    output: problems.join('\n'),
    ...(names && { note: `more than ${enough} files: ${names}` }),
  };
}

/**
 * Files that may look for words in sentences, because those are sentences of other programs without
 * codes.
 */
const readersOfWords = new Set([
  'src/core/reasons/platform.ts',
  'src/http/request/untrusted-json.ts',
  'src/main/open-engine.ts',
  'src/store/postgres/engine.ts',
  'src/store/postgres/outage.ts',
]);
const readsWords = [
  /\b(?:message|description|sentence)\)?\.(?:match\(|search\(|(?:includes|startsWith|endsWith)\(['"`]\w)/,
  /\.(?:test|exec)\([\w.]*\b(?:message|description|sentence)\)/,
  /(?<!typeof .*)\b(?:message|description|sentence) [!=]== ['"`]\w/,
];

/**
 * Checks that no code tells messages apart by their words instead of their codes, and that
 * sentences are whole.
 */
async function sentences(): Promise<Outcome> {
  const found = globSync('{src,sandbox/src,web/src}/**/*.{ts,tsx}', { cwd: root })
    .map((file) => file.replaceAll(path.sep, '/'))
    .filter((file) => !file.endsWith('.test.ts') && !readersOfWords.has(file))
    .flatMap((file) =>
      readFileSync(path.join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, at) =>
          readsWords.some((pattern) => pattern.test(line))
            ? [`${file}:${at + 1} reads a sentence: look at its code`]
            : [],
        ),
    );
  const problems = [...found, ...(await checkEndings(root))];
  return { ok: problems.length === 0, output: problems.join('\n') };
}

async function documents(): Promise<Outcome> {
  const { problems: blocks, run, marked } = checkBlocks(root);
  const problems = [...checkDocuments(root), ...blocks];
  const note = `code blocks: ${run} run by tests, ${marked} marked as not run`;
  return { ok: problems.length === 0, output: problems.join('\n'), note };
}

/** Counts missing texts of languages, which show in English until somebody translates them. */
async function languages(): Promise<Outcome> {
  const texts = async (file: string): Promise<string[]> => {
    return textNames((await import(path.join(root, file))) as object);
  };
  const english = await texts('web/src/i18n/en/index.ts');
  const missing = globSync('web/src/i18n/*/index.ts', { cwd: root }).map(async (file) => {
    const names = new Set(await texts(file));
    const lacking = english.filter((name) => !names.has(name)).length;
    return `${path.basename(path.dirname(file))} ${lacking}`;
  });
  return {
    ok: true,
    output: '',
    note: `texts to translate: ${(await Promise.all(missing)).join(', ')}`,
  };
}

function textNames(value: unknown, name = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [name];
  return Object.entries(value).flatMap(([key, part]) => textNames(part, `${name}.${key}`));
}

async function retiredWords(): Promise<Outcome> {
  const problems = [...checkWords(root), ...checkNames(root)];
  return { ok: problems.length === 0, output: problems.join('\n') };
}

// Long checks come first; two run at a time, which suits two cores.
const checks: Check[] = [
  {
    // The linter loads every type anyway, so it also reports what the compiler would.
    name: 'types and lint',
    run: () =>
      tool('oxlint', 'oxlint', [
        '--type-aware',
        '--type-check',
        'src',
        'sandbox',
        'web',
        'test',
        'bench',
        'scripts',
        'bin',
        'vitest.config.ts',
        'vitest.slow.config.ts',
      ]),
  },
  {
    // Checks the types that the package declares for programs: types that cannot be named there
    // cause errors nowhere else.
    name: 'client types',
    run: () =>
      tool('typescript', 'tsc', [
        '-p',
        'tsconfig.client.json',
        '--noEmit',
        '--emitDeclarationOnly',
        'false',
      ]),
  },
  { name: 'import rules', run: importRules },
  { name: 'dead code', run: () => tool('knip', 'knip', ['--no-progress']) },
  { name: 'format', run: () => tool('@biomejs/biome', 'biome', ['format']) },
  { name: 'documents', run: documents },
  { name: 'folders', run: folders },
  { name: 'sentences', run: sentences },
  { name: 'retired words', run: retiredWords },
  { name: 'languages', run: languages },
  { name: 'lock file', run: lockFile },
];
const lanes = 2;

async function main(): Promise<void> {
  const waiting = [...checks];
  const failed: string[] = [];
  const lane = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      const startedAt = performance.now();
      const outcome: Outcome = await check.run().catch((error: unknown) => ({
        ok: false,
        output: String(error),
      }));
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      const note = outcome.note ? `  ${outcome.note}` : '';
      console.log(`${outcome.ok ? 'ok  ' : 'FAIL'} ${check.name.padEnd(14)} ${seconds} s${note}`);
      if (outcome.ok) continue;
      failed.push(check.name);
      console.log(`${outcome.output.trimEnd()}\n`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  if (failed.length === 0) return;
  console.log(`\n${failed.length} of ${checks.length} checks failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}

await main();
