// Prints the part of CHANGELOG.md that belongs to a version, such as v1.2.3.
import { readFileSync } from 'node:fs';

const version = (process.argv[2] ?? '').replace(/^v/, '');
const changelog = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8');
const part = changelog.split(/^## /m).find((text) => text.split(/\s/, 1)[0] === version);
if (!part) {
  console.error(`CHANGELOG.md has no part "## ${version}"`);
  process.exit(1);
}
console.log(part.slice(part.indexOf('\n')).trim());
