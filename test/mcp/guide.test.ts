import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { tools } from '../../src/http/mcp/tool-table.ts';

describe('the guide to MCP', () => {
  const rows = readFileSync(new URL('../../docs/mcp.md', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'));

  it.each(Object.keys(tools))('names all actions of the tool %s', (name) => {
    const row = rows.find((one) => one.split('|')[1]?.includes(`\`${name}\``)) ?? '';
    const actions = Object.keys(tools[name]?.actions ?? {});
    const told = row.split('|')[2]?.split(/[^a-z_]+/) ?? [];
    // A tool with one action is described by what it does.
    expect(told).toEqual(expect.arrayContaining(actions.length > 1 ? actions : []));
    expect(row).not.toBe('');
  });
});
