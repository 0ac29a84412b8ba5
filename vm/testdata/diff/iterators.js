// == generators take values and errors
function* g() { try { const x = yield 1; print('got', x); yield x * 2 } catch (e) { print('caught', e); yield 'after' } finally { print('cleanup') } }
const it = g(); print(it.next('lost'), it.next(21), it.throw('boom'), it.next(), it.next());
// == return runs finally and may be overruled
function* g() { try { yield 1; yield 2 } finally { yield 'last' } }
const it = g(); print(it.next(), it.return('r'), it.next(), it.next());
// == yield* delegates and gives the return value
function* inner() { const x = yield 'a'; print('inner', x); return 'result' } function* outer() { const r = yield* inner(); yield r; yield* [1, 2]; yield* 'xy' }
const o = outer(); print(o.next(), o.next('sent'), [...o]);
// == infinite generators and destructuring
function* nat() { let n = 0; while (true) yield n++ } const [a, b, c] = nat(); print(a, b, c);
// == a recursive generator walks a tree
const walk = function* (t) { if (!t) return; yield* walk(t.l); yield t.v; yield* walk(t.r) }; print([...walk({ v: 2, l: { v: 1 }, r: { v: 4, l: { v: 3 } } })]);
// == generator objects
function* g() { yield 1 } const it = g(); print(it[Symbol.iterator]() === it, Object.prototype.toString.call(it), it instanceof g, typeof it.next, String(it)); fails(() => new g());
// == a running generator cannot be entered
let it; function* g() { it.next() } it = g(); fails(() => it.next());
// == iterators by hand
const range = { from: 1, to: 3, [Symbol.iterator]() { let n = this.from, to = this.to; return { next: () => n <= to ? { value: n++, done: false } : { value: undefined, done: true } } } }; print([...range], Math.max(...range), Array.from(range, (x) => x * x), new Set(range), Object.fromEntries([...range].map((x) => ['k' + x, x])));
// == what is not iterable
fails(() => [...5]); fails(() => { for (const x of {}) ; }); fails(() => new Map([1])); fails(() => { const [a] = undefined }); fails(() => Array.from({ [Symbol.iterator]: 1 })); fails(() => new Set(5)); fails(() => Math.max(...undefined));
// == a spread of an object that is not iterable, by name
const conf = { a: 1 }; fails(() => [...conf]); fails(() => { for (const x of conf.a) ; }); fails(() => print(...conf.a)); fails(() => Promise.all && new Map(conf));
// == an iterator that gives no object
fails(() => [...{ [Symbol.iterator]: () => ({ next: () => 1 }) }]); fails(() => [...{ [Symbol.iterator]: () => 1 }]);
// == helpers of iterators
function* n() { for (let i = 0; ; i++) yield i }
print(n().filter((x) => x % 2).map((x, i) => x * 10 + i).drop(1).take(3).toArray());
// == helpers are lazy and close their source
const log2 = []; function* g() { try { for (let i = 1; i < 9; i++) { log2.push(i); yield i } } finally { log2.push('closed') } }
print([...g().take(2)], g().find((x) => x === 3), g().some((x) => x > 1), g().every((x) => x < 2), log2);
// == reduce, forEach and flatMap of iterators
function* g() { yield* [1, 2, 3] } let s = 0; g().forEach((x, i) => { s += x * i });
print(g().reduce((a, b) => a + b), g().reduce((a, b) => a + b, '>'), s, g().flatMap((x) => [x, -x]).toArray()); fails(() => [].values().reduce((a, b) => a)); fails(() => g().flatMap((x) => 1).toArray());
// == Iterator.from and its prototype
const it = Iterator.from({ next() { return { value: this.n = (this.n || 0) + 1, done: this.n > 3 } } }); print(it.toArray(), it instanceof Iterator, [].values() instanceof Iterator, typeof Iterator.prototype.map, Iterator.prototype.map.length, Iterator.prototype.flatMap.name);
// == Iterator cannot be made directly
fails(() => new Iterator()); fails(() => Iterator()); class Mine extends Iterator { next() { return { done: true } } } print(new Mine() instanceof Iterator, [...new Mine()], new Mine().map((x) => x).toArray());
// == arguments of helpers are checked
fails(() => [1].values().map(5)); fails(() => [1].values().take(-1)); fails(() => [1].values().take(NaN)); fails(() => [1].values().drop('x')); fails(() => [].values().filter());
// == helper objects
const h = [1, 2].values().map((x) => x); print(Object.prototype.toString.call(h), h[Symbol.toStringTag], typeof h.return, h.next(), h.return(), h.next(), Object.prototype.toString.call([].values()));
// == entries, keys and values
print([...['a', 'b'].entries()], [...['a', , 'c'].keys()], [...new Map([[1, 2]]).entries()], [...new Set(['s']).entries()], [...'ab'[Symbol.iterator]()]);
// == iterators of maps see what is added
const m = new Map([[1, 'a']]); const seen = []; for (const [k] of m) { seen.push(k); if (k < 4) m.set(k + 1, 'x') } print(seen);
// == array iterators see what is added
const a = [1], seen = []; for (const x of a) { seen.push(x); if (x < 4) a.push(x + 1) } print(seen);
// == throw in a loop body closes the iterator
const it = { [Symbol.iterator]() { return this }, next: () => ({ value: 1, done: false }), return() { print('return called'); return {} } }; fails(() => { for (const x of it) throw new Error('body') }); const f = () => { for (const x of it) return 'early' }; print(f());
// == errors in return are swallowed by a throw
const it = { [Symbol.iterator]() { return this }, next: () => ({ value: 1, done: false }), return() { throw new Error('from return') } }; fails(() => { for (const x of it) throw new Error('from body') }); fails(() => { for (const x of it) break });
// == yield inside of expressions
function* g() { const o = { a: yield 'a', b: [yield 'b', yield 'c'] }; return `${yield 'd'}:${JSON.stringify(o)}` } const it = g(); it.next(); it.next(1); it.next(2); it.next(3); print(it.next(4));
// == generator methods with arguments
const o = { *take(n, xs) { for (const x of xs) { if (n-- <= 0) return; yield x } } }; print([...o.take(2, [5, 6, 7])]);
// == zip and chunk by generators
function* chunk(xs, n) { for (let i = 0; i < xs.length; i += n) yield xs.slice(i, i + n) } function* zip(...ls) { for (let i = 0; i < Math.min(...ls.map((l) => l.length)); i++) yield ls.map((l) => l[i]) }
print([...chunk([1, 2, 3, 4, 5], 2)], [...zip('abc', [1, 2])]);
// == iterator results with getters
const it = { [Symbol.iterator]() { let n = 0; return { next() { return { get value() { return n }, get done() { return ++n > 2 } } } } } }; print([...it]);
// == the order of closing nested loops
const mk = (n) => ({ [Symbol.iterator]() { return this }, next: () => ({ value: n, done: false }), return() { print('close', n); return {} } }); outer: for (const a of mk('a')) for (const b of mk('b')) break outer;
