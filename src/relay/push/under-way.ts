/**
 * The deliveries of one bot that are not answered yet.
 *
 * A list in which each knows its place, not a Set: when a Set makes itself a new table, the old one
 * keeps a pointer to it and to everything it held. As soon as one such table has become old, the
 * garbage collector takes all that follow it for alive, and with them nearly every delivery with its
 * request and its answer: two thirds of what then only a full collection took away.
 */
export class UnderWay<Item extends { place: number }> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  add(item: Item): void {
    item.place = this.#items.length;
    this.#items.push(item);
  }

  /** The last one takes the free place. */
  remove(item: Item): void {
    const last = this.#items.pop();
    if (!last || last === item) return;
    this.#items[item.place] = last;
    last.place = item.place;
  }

  /** In no order; may be gone through while some of them end. */
  all(): Item[] {
    return [...this.#items];
  }
}
