import { existsSync } from 'node:fs';
import path from 'node:path';

/**
 * The folder with package.json, the guides and the built web UI: above src/ and the bundle of
 * `npm start` in a clone, above dist/ in the package.
 */
export const packageRoot = rootAbove(import.meta.dirname);

const isSource = import.meta.filename.endsWith('.ts');
/** The folder `src` of the sources or of the bundle. */
const [sources = ''] = /^.*[\\/]src(?![^\\/])/s.exec(import.meta.dirname) ?? [];

/** Returns the path of a file that the code reads, by its path below src/. */
export function sourceFile(name: string): string {
  return path.join(sources, name);
}

/** Returns the program of a thread or a child process, by its path below src/ without an extension. */
export function programFile(name: string): string {
  return sourceFile(`${name}.${isSource ? 'ts' : 'js'}`);
}

function rootAbove(folder: string): string {
  if (existsSync(path.join(folder, 'package.json'))) return folder;
  const parent = path.dirname(folder);
  if (parent === folder) throw new Error(`no package.json above ${import.meta.dirname}`);
  return rootAbove(parent);
}
