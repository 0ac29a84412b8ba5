// == the order of microtasks
const out = []; setTimeout(() => out.push('timer'), 0); Promise.resolve().then(() => out.push('then')); queueMicrotask(() => out.push('micro')); (async () => { out.push('sync'); await null; out.push('await') })(); out.push('end');
await new Promise((r) => setTimeout(r, 5)); print(out);
// == return await against return promise
const out = []; const a = async () => { return Promise.resolve('a') }, b = async () => { return await Promise.resolve('b') }, c = async () => 'c'; a().then((x) => out.push(x)); b().then((x) => out.push(x)); c().then((x) => out.push(x)); for (let i = 0; i < 6; i++) await null; print(out);
// == thenables are adopted one tick later
const out = []; Promise.resolve({ then(r) { out.push('then called'); r('thenable') } }).then((x) => out.push(x)); Promise.resolve('plain').then((x) => out.push(x)); await null; await null; await null; print(out);
// == all keeps the order
const t = (ms, v) => new Promise((r) => setTimeout(r, ms, v)); print(await Promise.all([t(6, 'a'), t(1, 'b'), 'c']), await Promise.all([]), await Promise.all(new Set([1])));
// == all fails with the first error
await failing(() => Promise.all([Promise.reject(new Error('one')), Promise.reject(new Error('two'))])); await failing(() => Promise.all(5)); await failing(() => Promise.all());
// == allSettled
print(await Promise.allSettled([1, Promise.reject(new Error('e')), Promise.reject('text')]));
// == any and AggregateError
print(await Promise.any([Promise.reject(1), 'ok'])); try { await Promise.any([Promise.reject('a'), Promise.reject('b')]) } catch (e) { print(e, e.errors, e instanceof AggregateError) } await failing(() => Promise.any([]));
// == race
const t = (ms, v) => new Promise((r) => setTimeout(r, ms, v)); print(await Promise.race([t(30, 'slow'), t(1, 'fast')]), await Promise.race([1, 2])); await failing(() => Promise.race([Promise.reject(new Error('lost')), t(1)]));
// == finally passes values on and may fail
print(await Promise.resolve(1).finally(() => 2)); await failing(() => Promise.reject(new Error('a')).finally(() => { throw new Error('b') })); await failing(() => Promise.reject(new Error('kept')).finally(() => 1));
// == catch and then chains
print(await Promise.reject(1).catch((x) => x + 1).then((x) => x * 10), await Promise.resolve(5).then(null, null).then(), await Promise.reject('r').then(() => 'no', (e) => 'handled ' + e));
// == withResolvers
const { promise, resolve, reject } = Promise.withResolvers(); setTimeout(resolve, 1, 'later'); print(await promise); const two = Promise.withResolvers(); two.reject(new Error('no')); await failing(() => two.promise); print(Promise.withResolvers.length, Promise.withResolvers.name);
// == a promise does not settle twice
const p = new Promise((res, rej) => { res(1); rej(2); res(3); throw 4 }); print(await p);
// == the executor's throw rejects
await failing(() => new Promise(() => { throw new RangeError('thrown') })); fails(() => new Promise()); fails(() => new Promise(5)); fails(() => Promise.resolve.call(1)); fails(() => Promise());
// == a promise that resolves to itself
let r; const p = new Promise((res) => { r = res }); r(p); await failing(() => p);
// == await in every place
const v = async (x) => x; const o = { [await v('k')]: await v(1), f: async (a = 2) => a }; print(o.k, [...await v([1, 2])], `${await v('t')}`, (await v({ a: { b: 3 } })).a.b, await v(true) ? await v('yes') : 0, await o.f(), !await v(false), -(await v(1)));
// == await in loops and conditions
const v = async (x) => x; let n = 0; while (await v(n < 3)) n++; for (let i = await v(0); i < await v(2); i += await v(1)) n += 10; do { n++ } while (await v(n < 30)); switch (await v(n)) { case await v(30): print('thirty'); break; default: print(n) }
// == await of a rejected promise in try, catch and finally
const f = async () => { try { await Promise.reject(new Error('x')) } catch (e) { return await Promise.resolve('caught ' + e.message) } finally { await null; print('finally') } }; print(await f());
// == async functions run until their first await
const out = []; const f = async () => { out.push(1); await 0; out.push(3) }; const p = f(); out.push(2); await p; print(out);
// == async arrows in array methods
print(await Promise.all([1, 2, 3].map(async (x) => { await null; return x * 2 }))); print([1, 2].filter(async () => false).length); const r = await [1, 2, 3].reduce(async (acc, x) => (await acc) + x, Promise.resolve(0)); print(r);
// == a pool with a limit
const pool = async (n, jobs) => { let active = 0, peak = 0; const out = [], next = jobs.entries(); await Promise.all(Array.from({ length: n }, async () => { for (const [i, j] of next) { peak = Math.max(peak, ++active); out[i] = await j(); active-- } })); return [out, peak] };
print(await pool(2, [1, 2, 3, 4, 5].map((x) => () => new Promise((r) => setTimeout(r, x % 3, x * x)))));
// == a semaphore by promises
let free = 1; const waiters = []; const acquire = () => free > 0 ? (free--, Promise.resolve()) : new Promise((r) => waiters.push(r)); const release = () => { const w = waiters.shift(); w ? w() : free++ }; const out = [];
await Promise.all(['a', 'b', 'c'].map(async (n) => { await acquire(); out.push(n + '>'); await null; out.push('<' + n); release() })); print(out);
// == a timeout by race
const withTimeout = (p, ms) => Promise.race([p, new Promise((_, rej) => setTimeout(() => rej(new Error('timeout after ' + ms)), ms))]); await failing(() => withTimeout(new Promise(() => {}), 2)); print(await withTimeout(Promise.resolve('in time'), 20));
// == retry with growing delay
let tries = 0; const flaky = async () => { if (++tries < 3) throw new Error('try ' + tries); return 'ok at ' + tries }; const retry = async (f, n) => { for (let i = 0; ; i++) { try { return await f() } catch (e) { if (i >= n) throw e; print('retry', e.message); await new Promise((r) => setTimeout(r, 2 ** i)) } } }; print(await retry(flaky, 5));
// == timers fire in order of their time
const out = []; setTimeout(() => out.push('c'), 20); setTimeout(() => out.push('a'), 1); setTimeout(() => out.push('b'), 8); const id = setTimeout(() => out.push('never'), 2); clearTimeout(id); clearTimeout(undefined); await new Promise((r) => setTimeout(r, 40)); print(out);
// == timers pass arguments
setTimeout((a, b) => print('timer', a, b), 1, 'x', [1]); await new Promise((r) => setTimeout(r, 10));
// == an unhandled rejection does not stop the script
Promise.reject(new Error('ignored')); await null; print('still here');
// == queueMicrotask errors need a function
try { queueMicrotask(5) } catch (e) { print(e.name) } try { setTimeout('code') } catch (e) { print(e.name) }
// == async methods and getters that give promises
const o = { async m() { return this.n }, n: 5, get p() { return Promise.resolve(this.n + 1) } }; print(await o.m(), await o.p, await Promise.all([o.m(), o.p]));
// == memo by promise
let calls = 0; const memo = new Map(); const load = (k) => memo.get(k) ?? memo.set(k, (async () => { calls++; await null; return k.toUpperCase() })()).get(k); print(await Promise.all([load('a'), load('b'), load('a')]), calls);
// == dependency graph with Promise.all
const done = []; const deps = { a: [], b: ['a'], c: ['a'], d: ['b', 'c'] }, started = {}; const go = (n) => started[n] ??= Promise.all(deps[n].map(go)).then(() => { done.push(n); return n }); await go('d'); print(done);
// == event queue by async iteration with withResolvers
const queue = []; let wake = Promise.withResolvers(); const push = (v) => { queue.push(v); wake.resolve() }; const consumer = (async () => { const got = []; while (got.length < 3) { while (queue.length) got.push(queue.shift()); if (got.length < 3) { await wake.promise; wake = Promise.withResolvers() } } return got })(); push(1); await null; push(2); setTimeout(push, 1, 3); print(await consumer);
// == Promise statics have the names and lengths of the language
print(['all', 'allSettled', 'any', 'race', 'resolve', 'reject', 'withResolvers'].map((n) => n + Promise[n].length), Promise.length, Promise.name, Promise.prototype.then.length, Object.prototype.toString.call(Promise.resolve()));
// == async function objects
const f = async () => {}; print(Object.prototype.toString.call(f), f.prototype, f.constructor.name, f() instanceof Promise, (async function named() {}).name); fails(() => new f());
// == nested rejections in parallel branches
const r = await Promise.allSettled([(async () => { await null; throw new Error('late') })(), (async () => { throw 'early' })(), new Promise((_, j) => setTimeout(j, 1, 0))]); print(r.map((x) => x.status + ':' + (x.reason?.message ?? x.reason)));
