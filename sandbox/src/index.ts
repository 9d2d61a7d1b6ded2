// The parts of the sandbox that the service, the demo, benchmarks and tests may use.
export type { ShownMessage } from './actions/show.ts';
export { ApiFailure, ControlError } from './api-error.ts';
export { createManualClock, systemClock } from './clock.ts';
export { controlActions, runAction } from './actions/control.ts';
export { faultKinds } from './faults/faults.ts';
export { methodNames } from './method-names.ts';
export { WorldInUse } from './persist/lock.ts';
export { createRandom, type Random } from './random.ts';
export { createSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts';
export { startSandbox, UnusableData } from './start.ts';
export { paintPicture } from './world/messages/picture.ts';
export type { UserRecord } from './world/records.ts';
export { isPracticeToken } from './world/world.ts';
