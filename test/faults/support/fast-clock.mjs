// Preloaded into a service: its clocks run, and its timers go off, as many times as fast as stands in a file.
import { readFileSync } from 'node:fs';

const file = process.env.CLOCK_SPEED_FILE;
const RealDate = Date;
const realNow = performance.now.bind(performance);
const wallOffset = RealDate.now() - realNow();
let speed = Number(readFileSync(file, 'utf8'));
let changedAt = realNow();
let passed = changedAt;
const now = () => passed + (realNow() - changedAt) * speed;
const wall = () => Math.floor(wallOffset + now());

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(wall());
    else super(...parts);
  }

  static now() {
    return wall();
  }
};
performance.now = now;
const realInterval = setInterval;
for (const name of ['setTimeout', 'setInterval']) {
  const real = globalThis[name];
  globalThis[name] = (then, ms = 0, ...parts) => real(then, ms / speed, ...parts);
}

realInterval(() => {
  const wanted = Number(readFileSync(file, 'utf8'));
  if (wanted === speed || !wanted) return;
  passed = now();
  changedAt = realNow();
  speed = wanted;
}, 20).unref();
