// `npm pack` and `npm publish`: bundles the service and the sandbox with everything they need into
// dist/, and builds the web UI. The package has no dependencies, so it installs quickly, and one
// large file takes less memory and time to load than a thousand small ones.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { noticesFile, noticesOf } from './notices.ts';

const root = path.resolve(import.meta.dirname, '..');
const output = path.join(root, 'dist');
const modules = path.join(root, 'node_modules');
/** The files that Node starts or programs import; threads and child processes keep their place below src/. */
const entries = ['src/cli', 'src/client', ...workers()];

/** Bundles packages that are required at their first use; their code still runs only then. */
const lateRequires: Plugin = {
  name: 'late requires',
  transform: {
    filter: { code: 'createRequire(import.meta.url)(' },
    handler: (code) => code.replaceAll('createRequire(import.meta.url)(', 'require('),
  },
};

/**
 * Bundles only those parts of undici that the service uses. The whole package has a fetch, a cache and
 * more of its own, which take 3 MB of memory.
 */
const partsOfUndici: Plugin = {
  name: 'parts of undici',
  resolveId: (name) => (name === 'undici' ? '\0undici' : undefined),
  load: (id) => {
    if (id !== '\0undici') return undefined;
    const part = (name: string) => JSON.stringify(path.join(modules, 'undici', 'lib', name));
    return `
      import Agent from ${part('dispatcher/agent.js')};
      import Client from ${part('dispatcher/client.js')};
      import Dispatcher from ${part('dispatcher/dispatcher.js')};
      import Pool from ${part('dispatcher/pool.js')};
      import api from ${part('api/index.js')};
      import buildConnector from ${part('core/connect.js')};
      Object.assign(Dispatcher.prototype, api);
      export { Agent, Client, Pool, buildConnector };`;
  },
};

rmSync(output, { recursive: true, force: true });
const bundled = await bundle();
compileClientTypes();
writeFileSync(
  path.join(output, noticesFile),
  `The service contains these packages; those of the web UI are in web/dist/${noticesFile}.\n\n${noticesOf(bundled)}`,
);
for (const file of globSync('src/**/*.{json,css,js}', { cwd: root })) {
  cpSync(path.join(root, file), path.join(output, file), { errorOnExist: true, force: false });
}
execFileSync(process.execPath, [path.join(root, 'scripts', 'prepare.js'), 'page'], {
  cwd: root,
  stdio: 'inherit',
});

function workers(): string[] {
  return globSync('src/store/sqlite/*-worker.ts', { cwd: root }).map((file) =>
    file.replace(/\.ts$/, ''),
  );
}

/** Bundles the service and returns the files that are part of the bundle. */
async function bundle(): Promise<string[]> {
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries.map((entry) => [entry, `${entry}.ts`])),
    platform: 'node',
    // These are optional parts of the database driver that nothing here uses.
    external: [/^node:/, 'pg-native', 'pg-cloudflare'],
    plugins: [lateRequires, partsOfUndici],
  });
  const { output: files } = await build.write({
    dir: output,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'src/[name]-[hash].js',
    // Functions keep their names, so that a stack trace is readable.
    minify: {
      compress: { keepNames: { function: true, class: true } },
      mangle: { keepNames: { function: true, class: true } },
    },
  });
  await build.close();
  for (const file of files) {
    if (file.type === 'chunk') writeFileSync(path.join(output, file.fileName), inAscii(file.code));
  }
  return files.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}

/**
 * Escapes other characters, because V8 stores a text with a single one in two bytes per character:
 * 4 MB of memory more.
 */
function inAscii(code: string): string {
  return code.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Compiles types only for the modules that programs import. */
function compileClientTypes(): void {
  const compiler = path.join(modules, 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.client.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(1);
  // The compiler renames imports in programs, not in declarations.
  for (const file of globSync('**/*.d.ts', { cwd: output })) {
    const full = path.join(output, file);
    const text = readFileSync(full, 'utf8');
    writeFileSync(full, text.replace(/(from '\.{1,2}\/[^']*)\.ts'/g, "$1.js'"));
  }
}
