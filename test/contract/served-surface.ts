import { settingIds, settings, yamlKey } from '../../src/config/settings.ts';
import { statusOf } from '../../src/http/error-handler.ts';
import { type Document, operationsOf, type Surface } from './surface.ts';

/** The surface of a running service. */
export async function servedSurface({
  address,
  localKey,
}: {
  address: string;
  localKey: string;
}): Promise<Surface> {
  const document = (await (await fetch(`${address}/openapi.json`)).json()) as Document;
  const headers = { authorization: `Bearer ${localKey}` };
  const measured = await (await fetch(`${address}/metrics`, { headers })).text();
  const all = settingIds.map((id) => settings[id]);
  return {
    operations: operationsOf(document),
    errors: Object.fromEntries(
      Object.entries(statusOf).map(([code, status]) => [code, String(status)]),
    ),
    settings: Object.fromEntries(
      all.map((setting) => [setting.name, `${setting.flag}, ${yamlKey(setting)}`]),
    ),
    metrics: metricsIn(measured),
  };
}

// Only some systems report these.
const systemMetrics = /^process_(open_fds|max_fds|virtual_memory_bytes|heap_bytes)$/;

function metricsIn(text: string): Record<string, string> {
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return Object.fromEntries(
    types.flatMap(([, name = '', type = '']) => (systemMetrics.test(name) ? [] : [[name, type]])),
  );
}
