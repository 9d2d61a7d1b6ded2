// Prints the part of CHANGELOG.md, or of the file given second, that belongs to a version, such as v1.2.3.
import { readFileSync } from 'node:fs';

const version = (process.argv[2] ?? '').replace(/^v/, '');
const file = process.argv[3] ?? new URL('../CHANGELOG.md', import.meta.url);
const changelog = readFileSync(file, 'utf8');
// The heading is `## 1.2.3`, `## [1.2.3]` or `## v1.2.3`, with or without a date.
const part = changelog
  .split(/^## /m)
  .slice(1)
  .find((text) => /^\[?v?([^\]\s]+)/.exec(text)?.[1] === version);
if (!part) {
  console.error(`CHANGELOG.md has no part "## ${version}"`);
  process.exit(1);
}
console.log(part.slice(part.indexOf('\n')).trim());
