import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { largeBytes, serviceWithLocalFiles } from './local-files-rig.ts';

describe.runIf(process.platform === 'linux')('files of a local Bot API server', () => {
  const { own, download, memory } = serviceWithLocalFiles();

  it('of 2 GB take no memory', async () => {
    const before = memory();
    const answer = await download(path.join(own, 'large.bin'));
    let bytes = 0;
    let most = before;
    for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
      if (Math.floor(bytes / 1e8) < Math.floor((bytes + chunk.length) / 1e8)) {
        most = Math.max(most, memory());
      }
      bytes += chunk.length;
    }
    expect(bytes).toBe(largeBytes);
    expect(most - before).toBeLessThan(100);
  });
});
