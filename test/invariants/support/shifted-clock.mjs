// Preloaded into a service: shifts its wall clock by the milliseconds that stand in a file, and
// writes down beside it by how much it is shifted.
import { readFileSync, writeFileSync } from 'node:fs';

const file = process.env.CLOCK_SHIFT_FILE;
const RealDate = Date;
let shiftMs = 0;

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + shiftMs);
    else super(...parts);
  }

  static now() {
    return RealDate.now() + shiftMs;
  }
};

setInterval(() => {
  const wanted = Number(readFileSync(file, 'utf8'));
  if (wanted === shiftMs) return;
  shiftMs = wanted;
  writeFileSync(`${file}.seen`, String(shiftMs));
}, 20).unref();
