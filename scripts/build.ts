// `npm pack` and `npm publish`: bundles the service and the sandbox with everything they need into
// dist/, and builds the web UI. The package has no dependencies, so it installs quickly, and one
// large file takes less memory and time to load than a thousand small ones.
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bundle } from './bundle.ts';
import { noticesFile, noticesOf } from './notices.ts';

const root = path.resolve(import.meta.dirname, '..');
const output = path.join(root, 'dist');
const modules = path.join(root, 'node_modules');

rmSync(output, { recursive: true, force: true });
const bundled = await bundle(output);
compileClientTypes();
writeFileSync(
  path.join(output, noticesFile),
  `The service contains these packages; those of the web UI are in web/dist/${noticesFile}.\n\n${noticesOf(bundled)}`,
);
execFileSync(process.execPath, [path.join(root, 'scripts', 'prepare.js'), 'page'], {
  cwd: root,
  stdio: 'inherit',
});

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
