// Collects the licenses of bundled packages, which require their text to be included.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const noticesFile = 'THIRD-PARTY-NOTICES.txt';

interface Manifest {
  name: string;
  version: string;
  license: string;
  author?: string | { name: string };
}

/** Returns the notices of the packages that the modules of a bundle belong to. */
export function noticesOf(moduleIds: readonly string[]): string {
  // A package may contain another version of a package.
  const folders = moduleIds.flatMap(
    (id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0] ?? [],
  );
  const notices = new Set([...new Set(folders)].map(noticeOf));
  return `${[...notices].sort().join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

function noticeOf(folder: string): string {
  const text = readFileSync(path.join(folder, 'package.json'), 'utf8');
  const manifest = JSON.parse(text) as Manifest;
  const file = readdirSync(folder).find((one) => /^(licen[cs]e|copying)/i.test(one));
  const license = file ? readFileSync(path.join(folder, file), 'utf8') : standardText(manifest);
  return `${manifest.name} ${manifest.version} (${manifest.license})\n\n${license.trim()}`;
}

/** Returns the text for a package that names its license without its text. */
function standardText({ name, license, author }: Manifest): string {
  const holder = typeof author === 'string' ? author : author?.name;
  if (license !== 'MIT' || !holder) throw new Error(`${name} has no license text`);
  return `Copyright (c) ${holder}\n\n${mit}`;
}

const mit = `Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;
