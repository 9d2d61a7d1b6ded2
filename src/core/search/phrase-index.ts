/*
 * Many phrases looked for in one text: the words are gone through once, however many phrases there
 * are and however alike they begin (Aho and Corasick's automaton, with words for letters).
 */

interface Node {
  /** The phrase that ends here, if one does. */
  phrase: string;
  next: Map<string, Node>;
  /** Where to go on when the next word does not follow: the longest end of this that begins one. */
  fallback: Node | undefined;
  /** Who looks for this phrase. */
  orders: number[];
}

export interface PhraseIndex {
  /** How many there are. */
  readonly size: number;
  add(phrase: readonly string[], order: number): void;
  /** Every phrase that stands in the text, once for each who looks for it. */
  find(words: readonly string[]): Generator<{ order: number; phrase: string }>;
}

export function createPhraseIndex(): PhraseIndex {
  const root: Node = { phrase: '', next: new Map(), fallback: undefined, orders: [] };
  let isLinked = true;
  let size = 0;

  function add(phrase: readonly string[], order: number): void {
    let node = root;
    for (const word of phrase) {
      let next = node.next.get(word);
      if (!next) {
        next = { phrase: '', next: new Map(), fallback: root, orders: [] };
        node.next.set(word, next);
      }
      node = next;
    }
    node.phrase = phrase.join(' ');
    node.orders.push(order);
    size += 1;
    isLinked = false;
  }

  function follow(from: Node, word: string): Node {
    let node: Node | undefined = from;
    while (node) {
      const next = node.next.get(word);
      if (next) return next;
      node = node.fallback;
    }
    return root;
  }

  /** Shorter ones first: each fallback is found through one that is shorter still. */
  function link(): void {
    isLinked = true;
    const waiting = [...root.next.values()];
    for (const node of waiting) {
      for (const [word, next] of node.next) {
        next.fallback = follow(node.fallback ?? root, word);
        waiting.push(next);
      }
    }
  }

  return {
    get size() {
      return size;
    },
    add,
    *find(words) {
      if (!isLinked) link();
      const seen = new Set<Node>([root]);
      let node = root;
      for (const word of words) {
        node = follow(node, word);
        // What ends here ends with all the shorter ones; behind one that was seen all are.
        for (let end: Node | undefined = node; end && !seen.has(end); end = end.fallback) {
          seen.add(end);
          for (const order of end.orders) yield { order, phrase: end.phrase };
        }
      }
    },
  };
}
