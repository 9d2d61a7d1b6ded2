// `npm pack` and `npm publish`: compiles the service and the sandbox into dist/ and builds the web UI.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const output = path.join(root, 'dist');

rmSync(output, { recursive: true, force: true });
compile('tsconfig.build.json');
compileClientTypes();
nameThreads();
for (const file of globSync('{src,sandbox/src}/**/*.{json,css,js}', { cwd: root })) {
  cpSync(path.join(root, file), path.join(output, file), { errorOnExist: true, force: false });
}
execFileSync(process.execPath, [path.join(root, 'scripts', 'prepare.js'), 'page'], {
  cwd: root,
  stdio: 'inherit',
});

function compile(project: string): void {
  const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [compiler, '-p', project], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(1);
}

/** Only what programs import has types in the package. */
function compileClientTypes(): void {
  compile('tsconfig.client.json');
  // The compiler renames imports in programs, not in declarations.
  for (const file of globSync('**/*.d.ts', { cwd: output })) {
    const full = path.join(output, file);
    const text = readFileSync(full, 'utf8');
    writeFileSync(full, text.replace(/(from '\.{1,2}\/[^']*)\.ts'/g, "$1.js'"));
  }
}

/** Threads are started by the address of their file, which the compiler takes for a text. */
function nameThreads(): void {
  for (const file of globSync('**/*.js', { cwd: output })) {
    const full = path.join(output, file);
    const text = readFileSync(full, 'utf8');
    const named = text.replace(
      /new URL\('([^']+)\.ts', import\.meta\.url\)/g,
      "new URL('$1.js', import.meta.url)",
    );
    if (named !== text) writeFileSync(full, named);
  }
}
