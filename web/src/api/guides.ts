export interface GuideHit {
  url: string;
  page: string;
  heading: string;
}

/** Searches the guides, which every visitor may read. */
export async function guidesAbout(q: string, signal: AbortSignal): Promise<GuideHit[]> {
  const response = await fetch(`/docs/search.json?q=${encodeURIComponent(q)}`, { signal });
  return response.ok ? ((await response.json()) as GuideHit[]) : [];
}
