// == maps keep insertion order and any key
const o = {}, m = new Map([['a', 1], [o, 2], [NaN, 3]]); m.set('a', 9).set(0, 'zero').set(-0, 'neg'); m.delete('missing'); print([...m.keys()].length, m.get(NaN), m.get(o), m.get(-0), m.has({}), m.size, [...m][0]);
// == maps can change while they are walked
const m = new Map([[1, 1], [2, 2], [3, 3]]), seen = []; m.forEach((v, k, self) => { seen.push(k); if (k === 1) { self.delete(2); self.set(4, 4) } }); print(seen, m.size);
// == sets drop doubles
print([...new Set([1, '1', 1, NaN, NaN, 0, -0])], new Set('hello').size, new Set().add(1).add(1).size, [...new Set([3, 1, 2])].sort());
// == methods of sets
const a = new Set([1, 2, 3]), b = new Set([3, 4]); print(a.union(b), a.intersection(b), a.difference(b), a.symmetricDifference(b), a.isSubsetOf(new Set([1, 2, 3, 4])), a.isSupersetOf(new Set([1])), a.isDisjointFrom(new Set([9])));
// == methods of sets take maps and set-likes
const a = new Set([1, 2, 3]); print(a.intersection(new Map([[2, 'x']])), a.union({ size: 1, has: () => true, keys: () => [7].values() })); fails(() => a.union([1])); fails(() => a.union({ size: NaN })); fails(() => a.union(5));
// == Map.groupBy and Object.groupBy
const xs = [{ t: 'a', n: 1 }, { t: 'b', n: 2 }, { t: 'a', n: 3 }]; print(Object.groupBy(xs, ({ t }) => t), Map.groupBy(xs, (x) => x.n > 1), Object.groupBy('hello', (c, i) => i % 2 ? 'odd' : 'even'), Object.getPrototypeOf(Object.groupBy([], String)), Object.groupBy.length, Map.groupBy.name);
// == groupBy checks its arguments
fails(() => Object.groupBy(null, String)); fails(() => Object.groupBy([1], 5)); fails(() => Map.groupBy(5, String)); print(Map.groupBy([1, -0, 0], (x) => x).size);
// == weak collections
const k = {}, wm = new WeakMap([[k, 1]]), ws = new WeakSet([k]); print(wm.get(k), wm.has({}), ws.has(k), wm.delete(k), wm.has(k), Object.prototype.toString.call(wm)); fails(() => wm.set(1, 2)); fails(() => ws.add('x'));
// == symbols as weak keys
const s = Symbol('s'), wm = new WeakMap([[s, 'sym']]); print(wm.get(s), new WeakSet([s]).has(s)); fails(() => wm.set(Symbol.for('registered'), 1));
// == WeakRef keeps what it holds
const o = { a: 1 }, r = new WeakRef(o); print(r.deref() === o, Object.prototype.toString.call(r), WeakRef.length); fails(() => new WeakRef(1)); fails(() => WeakRef(o)); const f = new FinalizationRegistry(() => {}); print(f.register(o, 1), f.unregister(o));
// == constructors want iterables of entries
fails(() => new Map([1])); fails(() => new Map(5)); fails(() => new WeakMap([[1, 2]])); fails(() => Map()); print(new Map(null).size, new Set(undefined).size, new Map([[1]]).get(1));
// == forEach and this
const out = []; new Set(['a']).forEach(function (v, k, s) { out.push(v, k, s.size, this.t) }, { t: 'this' }); print(out);
// == frequency count with a map
const count = [...'mississippi'].reduce((m, c) => m.set(c, (m.get(c) ?? 0) + 1), new Map()); print([...count].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])));
// == an index by two keys
const idx = new Map(); for (const [a, b] of [['x', 1], ['y', 2], ['x', 3]]) { if (!idx.has(a)) idx.set(a, new Set()); idx.get(a).add(b) } print(idx, JSON.stringify([...idx].map(([k, v]) => [k, [...v]])));
// == maps and objects convert
const o = { b: 1, a: 2 }; print(new Map(Object.entries(o)), Object.fromEntries(new Map([['z', 1]])), JSON.stringify(new Map([[1, 2]])), JSON.stringify(new Set([1])));
// == an LRU cache by a map
class LRU { #m = new Map(); constructor(n) { this.n = n } get(k) { if (!this.#m.has(k)) return; const v = this.#m.get(k); this.#m.delete(k); this.#m.set(k, v); return v } set(k, v) { this.#m.delete(k); this.#m.set(k, v); if (this.#m.size > this.n) this.#m.delete(this.#m.keys().next().value) } keys() { return [...this.#m.keys()] } } const c = new LRU(2); c.set('a', 1); c.set('b', 2); c.get('a'); c.set('c', 3); print(c.keys());
// == iteration objects of maps
const it = new Map([[1, 2]])[Symbol.iterator](); print(Object.prototype.toString.call(it), it.next(), it.next(), Map.prototype[Symbol.iterator] === Map.prototype.entries, Set.prototype.keys === Set.prototype.values);
// == clear while iterating
const s = new Set([1, 2, 3]), seen = []; for (const x of s) { seen.push(x); if (x === 2) { s.clear(); s.add(9) } } print(seen);
// == topological order with sets
const deps = { c: ['a', 'b'], b: ['a'], a: [] }; const order = [], done = new Set(); const visit = (n) => { if (done.has(n)) return; done.add(n); deps[n].forEach(visit); order.push(n) }; Object.keys(deps).forEach(visit); print(order);
// == property names and lengths
print(['groupBy'].map((n) => Map[n].length), ['get', 'set', 'has', 'forEach'].map((n) => Map.prototype[n].length), ['union', 'isSubsetOf'].map((n) => Set.prototype[n].name + Set.prototype[n].length), Object.keys(Map), Object.keys(Set.prototype));
