import { newQueue, type Queue } from './queue.ts';

const fewestPlaces = 16;

/**
 * The queues of one bot, by name. Queues come and go with nearly every update, so this is no Map, for
 * the reason that stands at UnderWay: each queue points to the next of its place, and nothing points
 * to one that left.
 */
export class QueueTable {
  #places: (Queue | undefined)[] = emptyPlaces(fewestPlaces);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(name: string): Queue | undefined {
    let queue = this.#places[this.#placeOf(name)];
    while (queue && queue.name !== name) queue = queue.nextOfPlace;
    return queue;
  }

  /** A new one; there must be none of that name. */
  add(name: string): Queue {
    if (this.#size >= this.#places.length) this.#spread();
    const queue = newQueue(name);
    this.#put(queue);
    this.#size++;
    return queue;
  }

  remove(queue: Queue): void {
    const place = this.#placeOf(queue.name);
    let before = this.#places[place];
    if (before === queue) this.#places[place] = queue.nextOfPlace;
    else {
      while (before && before.nextOfPlace !== queue) before = before.nextOfPlace;
      if (!before) return;
      before.nextOfPlace = queue.nextOfPlace;
    }
    queue.nextOfPlace = undefined;
    this.#size--;
    if (this.#size === 0 && this.#places.length > fewestPlaces) {
      this.#places = emptyPlaces(fewestPlaces);
    }
  }

  /** May be gone through while some of them leave. */
  all(): Queue[] {
    const queues: Queue[] = [];
    for (const first of this.#places) {
      for (let queue = first; queue; queue = queue.nextOfPlace) queues.push(queue);
    }
    return queues;
  }

  #spread(): void {
    const queues = this.all();
    this.#places = emptyPlaces(this.#places.length * 2);
    for (const queue of queues) this.#put(queue);
  }

  #put(queue: Queue): void {
    const place = this.#placeOf(queue.name);
    queue.nextOfPlace = this.#places[place];
    this.#places[place] = queue;
  }

  #placeOf(name: string): number {
    let hash = 0;
    for (let index = 0; index < name.length; index++) {
      hash = (Math.imul(hash, 31) + name.charCodeAt(index)) | 0;
    }
    return (hash ^ (hash >>> 15)) & (this.#places.length - 1);
  }
}

function emptyPlaces(count: number): (Queue | undefined)[] {
  return Array.from({ length: count });
}
