import type { Plugin, Rolldown } from 'vite';

/** Tells first.js which files the overview needs beyond those of every page: a part of it, and its own. */
export function preloadHome(page: string): Plugin {
  return {
    name: 'preload-home',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle, chunk }) {
        const chunks = Object.values(bundle ?? {}).filter((file) => file.type === 'chunk');
        const home = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(page));
        if (!home || !chunk) throw new Error(`${page} is no chunk of its own`);
        const always = filesOf(chunk, chunks);
        const files = [...filesOf(home, chunks)].filter((file) => !always.has(file));
        return html.replace(
          'src="/first.js"',
          `src="/first.js" data-home="${files.map((file) => `/${file}`).join(' ')}"`,
        );
      },
    },
  };
}

/** A chunk, all that it imports, and their styles. */
function filesOf(
  chunk: Rolldown.OutputChunk,
  chunks: Rolldown.OutputChunk[],
  files = new Set<string>(),
): Set<string> {
  if (files.has(chunk.fileName)) return files;
  files.add(chunk.fileName);
  for (const style of chunk.viteMetadata?.importedCss ?? []) files.add(style);
  for (const name of chunk.imports) {
    const imported = chunks.find(({ fileName }) => fileName === name);
    if (imported) filesOf(imported, chunks, files);
  }
  return files;
}
