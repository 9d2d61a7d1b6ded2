// Preloaded into a service: its clocks run, and its timers go off, CLOCK_SPEED times as fast.
const speed = Number(process.env.CLOCK_SPEED);
const RealDate = Date;
const began = RealDate.now();
const realNow = performance.now.bind(performance);
const beganAt = realNow();
const wall = () => Math.floor(began + (realNow() - beganAt) * speed);

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(wall());
    else super(...parts);
  }

  static now() {
    return wall();
  }
};
performance.now = () => beganAt + (realNow() - beganAt) * speed;
for (const name of ['setTimeout', 'setInterval']) {
  const real = globalThis[name];
  globalThis[name] = (then, ms = 0, ...parts) => real(then, ms / speed, ...parts);
}
