// == an async generator yields and returns
async function* g() { yield 1; yield Promise.resolve(2); return 3 } const it = g(); print(await it.next(), await it.next(), await it.next(), await it.next());
// == for await over an async generator
async function* g() { for (let i = 0; i < 3; i++) { await null; yield i } } const out = []; for await (const x of g()) out.push(x); print(out);
// == for await over promises and plain values
const out = []; for await (const x of [1, Promise.resolve(2), (async () => 3)()]) out.push(x); print(out);
// == for await with a hand-made async iterable
const it = { [Symbol.asyncIterator]() { let n = 0; return { next: async () => ({ value: n, done: n++ > 2 }), return: async () => { print('closed'); return {} } } } }; for await (const x of it) { print(x); if (x === 1) break }
// == early break runs finally
async function* g() { try { yield 1; yield 2 } finally { await null; print('cleanup') } } for await (const x of g()) { print(x); break } print('after');
// == a throw in the body closes the generator
async function* g() { try { yield 1 } finally { print('cleanup') } } await failing(async () => { for await (const x of g()) throw new Error('body') });
// == errors travel out of the generator
async function* g() { yield 1; throw new TypeError('inside') } await failing(async () => { const out = []; try { for await (const x of g()) out.push(x) } finally { print(out) } });
// == a rejected promise that is yielded
async function* g() { try { yield Promise.reject(new Error('yielded')) } catch (e) { print('seen inside', e); yield 'recovered' } } const it = g(); print(await it.next()); print(await it.next());
// == values and errors can be sent in
async function* g() { try { const x = yield 'a'; print('got', x); yield 'b' } catch (e) { print('caught', e); yield 'c' } } const it = g(); await it.next(); print(await it.next(5)); print(await it.throw('t'), await it.next());
// == return with a value
async function* g() { try { yield 1 } finally { print('fin') } } const it = g(); await it.next(); print(await it.return('r'), await it.next());
// == return before the start
async function* g() { print('never') } const it = g(); print(await it.return(7), await it.next()); await failing(() => g().throw(new Error('early')));
// == yield* to async and sync generators
async function* inner() { const x = yield 1; print('inner got', x); return 'ret' } async function* outer() { const r = yield* inner(); print(r); yield* [10, Promise.resolve(20)]; } const it = outer(); print(await it.next(), await it.next('sent')); for await (const x of it) print(x);
// == methods, arrows and classes
const o = { async *m(n) { yield n } }; class A { async *[Symbol.asyncIterator]() { yield 'class' } static async *s() { yield this.name } async *#p() { yield 'private' } run() { return this.#p() } }
for await (const x of o.m(1)) print(x); for await (const x of new A()) print(x); for await (const x of A.s()) print(x); for await (const x of new A().run()) print(x);
// == requests queue up
async function* g() { print('start'); yield 1; print('mid'); yield 2 } const it = g(); print(await Promise.all([it.next(), it.next(), it.next()]));
// == await order against other tasks
const out = []; async function* g() { out.push('g1'); yield 1; out.push('g2') } (async () => { for await (const x of g()) out.push('body'); out.push('end') })(); out.push('sync'); for (let i = 0; i < 12; i++) await null; print(out);
// == objects of async generators
async function* g() {} const it = g(); print(Object.prototype.toString.call(it), typeof it[Symbol.asyncIterator], it[Symbol.asyncIterator]() === it, typeof it.next(), it instanceof g, g.name, g.length); fails(() => new g());
// == this and arguments in them
async function* g(a, b = 2) { yield this.k; yield arguments.length; yield b } const out = []; for await (const x of g.call({ k: 'this' }, 1)) out.push(x); print(out);
// == collecting with Array.fromAsync
async function* g() { yield 1; yield 2 } print(await Array.fromAsync(g()), await Array.fromAsync([Promise.resolve(3), 4]), await Array.fromAsync(g(), async (x, i) => x * 10 + i), await Array.fromAsync({ length: 2, 0: 'a', 1: Promise.resolve('b') })); await failing(() => Array.fromAsync(null));
// == pipelines of async generators
const src = async function* () { for (let i = 1; i <= 6; i++) yield i }; const filter = async function* (it, f) { for await (const x of it) if (await f(x)) yield x }; const map = async function* (it, f) { for await (const x of it) yield f(x) };
const out = []; for await (const x of map(filter(src(), async (x) => x % 2 === 0), (x) => x * x)) out.push(x); print(out);
// == labels and continue in for await
const out = []; outer: for await (const x of [1, 2, 3]) { for await (const y of [1, 2]) { if (x === 2) continue outer; if (x === 3) break outer; out.push([x, y]) } } print(out);
// == destructuring in for await
for await (const { a, b: [c] = [0] } of [{ a: 1, b: [2] }, Promise.resolve({ a: 3 })]) print(a, c);
// == for await over what is not iterable
await failing(async () => { for await (const x of 5) ; }); await failing(async () => { for await (const x of undefined) ; });
// == an async iterator that gives no object
await failing(async () => { for await (const x of { [Symbol.asyncIterator]: () => ({ next: () => 5 }) }) ; });
// == the place of an error in a lowered script
async function* g() { yield 1 }
for await (const x of g()) {
  try { null.prop } catch (e) { print(where(e)) }
      try { throw new Error('x') } catch (e) { print(where(e)) }
}
const f = () => { throw new Error('deep') }
try { f() } catch (e) { print(where(e)) }
// == a syntax error next to an async generator
async function* g() { yield 1 }
const = 5
// == for await at the top with a timer
const tick = (ms, v) => new Promise((r) => setTimeout(r, ms, v)); const out = []; for await (const x of [tick(3, 'slow'), tick(1, 'fast')]) out.push(x); print(out);
// == yield in a loop with a condition that awaits
async function* pages() { let page = 0, more = true; while (more) { const r = await Promise.resolve({ items: [page * 2, page * 2 + 1], next: page < 2 }); yield* r.items; more = r.next; page++ } } print(await Array.fromAsync(pages()));
// == private names survive in async methods
class Q { #items = [1, 2, 3]; async *drain() { while (this.#items.length) yield this.#items.shift() } } print(await Array.fromAsync(new Q().drain()));
// == for await outside of an async function does not parse
const f = () => { for await (const x of []) ; }
