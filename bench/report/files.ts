/* The committed results that bench/results/results.md shows. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ScaleResult } from '../scale/result.ts';
import type { ProfileResult } from '../relay/cpu-profile.ts';
import type { AllResult } from './compare.ts';
import type { HeadlineResult } from './headline.ts';

const fileOf = (name: string) => fileURLToPath(new URL(`../results/${name}.json`, import.meta.url));

export const resultFiles = {
  all: fileOf('all'),
  baseline: fileOf('baseline'),
  scale: fileOf('scale'),
  profile: fileOf('profile'),
  headline: fileOf('headline'),
};

export interface Results {
  all?: AllResult | undefined;
  baseline?: AllResult | undefined;
  scale?: ScaleResult | undefined;
  profile?: ProfileResult | undefined;
  headline?: HeadlineResult | undefined;
}

export function readResults(): Results {
  return {
    all: read(resultFiles.all) as AllResult | undefined,
    baseline: read(resultFiles.baseline) as AllResult | undefined,
    scale: read(resultFiles.scale) as ScaleResult | undefined,
    profile: read(resultFiles.profile) as ProfileResult | undefined,
    headline: read(resultFiles.headline) as HeadlineResult | undefined,
  };
}

function read(file: string): unknown {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}
