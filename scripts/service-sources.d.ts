export function bundleFolder(root: string): string;
export function hashOfSources(root: string): string;
