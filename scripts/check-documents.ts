// Checks that everything the documents name exists: relative links and their headings, paths of
// this repository, npm scripts. The index lists every guide. Tables must be whole: a bar that is
// not escaped ends a cell, also within backticks. No merge conflict may be left.
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'docs/**/*.md',
  'sandbox/README.md',
  'bench/**/*.md',
  'test/faults/**/*.md',
];
const ownFolders = /^(src|sandbox|test|web|bench|docs|scripts|bin|examples|\.ci)\/./;

export function checkDocuments(root: string): string[] {
  const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const files = globSync(documents, { cwd: root });
  const problems = files.length === 0 ? ['no documents were read'] : missingInIndex(root);
  for (const file of files) {
    const text = readFileSync(path.join(root, file), 'utf8');
    const folder = path.join(root, path.dirname(file));
    for (const link of linksOf(text)) {
      const [target = '', anchor] = link.split('#');
      const linked = target === '' ? path.join(root, file) : path.resolve(folder, target);
      if (!existsSync(linked)) problems.push(`${file}: no such file: ${target}`);
      else if (anchor !== undefined && !anchorsOf(readFileSync(linked, 'utf8')).has(anchor)) {
        problems.push(`${file}: no such heading: ${link}`);
      }
    }
    for (const named of pathsOf(text)) {
      if (globSync(named, { cwd: root }).length === 0) {
        problems.push(`${file}: no such path: ${named}`);
      }
    }
    for (const script of scriptsOf(text)) {
      if (!(script in scripts)) problems.push(`${file}: no such script: npm run ${script}`);
    }
    if (/^[<>]{7} /m.test(text)) problems.push(`${file}: holds a merge conflict`);
    for (const row of brokenRowsOf(text))
      problems.push(`${file}: cells too many or too few: ${row}`);
  }
  return problems;
}

function linksOf(text: string): string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1] ?? '')
    .filter((target) => !/^(https?:|mailto:)/.test(target));
}

/** Returns the anchors of the headings, as GitHub makes them. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map((match) => match[1] ?? '');
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Checks the index, because it decides which guides are served at /docs. */
function missingInIndex(root: string): string[] {
  const listed = new Set(linksOf(readFileSync(path.join(root, 'docs/README.md'), 'utf8')));
  return globSync('*.md', { cwd: path.join(root, 'docs') })
    .filter((file) => file !== 'README.md' && !listed.has(file))
    .map((file) => `docs/README.md: does not list ${file}`);
}

/** Returns code spans such as `src/store/` or `test/**`, and nothing that only looks like a path. */
function pathsOf(text: string): string[] {
  return [...text.matchAll(/`([^`\s]+)`/g)]
    .map((match) => match[1] ?? '')
    .filter((span) => ownFolders.test(span));
}

function scriptsOf(text: string): string[] {
  return [...text.matchAll(/npm run ([a-z][a-z:-]*)/g)].map((match) => match[1] ?? '');
}

function brokenRowsOf(text: string): string[] {
  let cells = 0;
  return text.split('\n').filter((line) => {
    const bars = line.startsWith('|') ? (line.match(/(?<!\\)\|/g) ?? []).length : 0;
    const broken = cells > 0 && bars > 0 && bars !== cells;
    if (bars === 0 || cells === 0) cells = bars;
    return broken;
  });
}
