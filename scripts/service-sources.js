// Names the bundle of the present sources, which `npm start` runs. It is plain JavaScript, because
// `prepare.js` imports it under any Node.
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

const parts = [
  'package.json',
  'package-lock.json',
  'scripts/bundle.ts',
  'bin',
  'src',
  'sandbox/src',
];

/** Returns the folder for the bundle; each state of the sources has its own. */
export function bundleFolder(root) {
  return path.join(root, '.cache', 'service', hashOfSources(root));
}

/** Changes with any file that the bundle is built from. */
export function hashOfSources(root) {
  const hash = createHash('sha256');
  for (const file of parts.flatMap((part) => filesOf(root, part)).sort()) {
    const stat = statSync(path.join(root, file), { throwIfNoEntry: false });
    // Versions of Node may round a fraction differently.
    if (stat) hash.update(`${file} ${Math.floor(stat.mtimeMs)} ${stat.size}\n`);
  }
  return hash.digest('hex').slice(0, 20);
}

function filesOf(root, part) {
  const full = path.join(root, part);
  if (path.extname(part) !== '') return [part];
  return (
    readdirSync(full, { recursive: true, withFileTypes: true })
      // Node has `parentPath` from 20.12 on.
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
      .map((entry) => path.relative(root, path.join(entry.parentPath ?? entry.path, entry.name)))
  );
}
