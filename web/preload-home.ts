import type { Plugin, Rolldown } from 'vite';

/** Tells first.js which files these parts of the overview need beyond those of every page. */
export function preloadHome(parts: readonly string[]): Plugin {
  return {
    name: 'preload-home',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle, chunk }) {
        const chunks = Object.values(bundle ?? {}).filter((file) => file.type === 'chunk');
        if (!chunk) throw new Error('the page has no script');
        const always = filesOf(chunk, chunks);
        const wanted = new Set<string>();
        for (const part of parts) {
          const own = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(part));
          if (!own) throw new Error(`${part} is no chunk of its own`);
          filesOf(own, chunks, wanted);
        }
        const files = [...wanted].filter((file) => !always.has(file));
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
