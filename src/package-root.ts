import { existsSync } from 'node:fs';
import path from 'node:path';

/** Where package.json, the guides and the built web UI are: above src/ in a clone, above dist/ in the package. */
export const packageRoot = rootAbove(import.meta.dirname);

function rootAbove(folder: string): string {
  if (existsSync(path.join(folder, 'package.json'))) return folder;
  const parent = path.dirname(folder);
  if (parent === folder) throw new Error(`no package.json above ${import.meta.dirname}`);
  return rootAbove(parent);
}
